package file

import (
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystem returns the kind of file system at path and whether it is local.
func fileSystem(path string) (kind string, local bool, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "", false, err
	}
	kind = unix.ByteSliceToString(s.Fstypename[:])
	local = s.Flags&unix.MNT_LOCAL != 0 && !strings.Contains(kind, "fuse")
	return kind, local, nil
}
