package file

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// remote names the file systems whose locks depend on a server or on a program,
// by the magic number that statfs(2) reports.
var remote = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.SMB2_SUPER_MAGIC: "smb2",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.FUSE_SUPER_MAGIC: "fuse",
	unix.V9FS_MAGIC:       "9p",
	unix.AFS_SUPER_MAGIC:  "afs",
	unix.AFS_FS_MAGIC:     "kafs",
	unix.CODA_SUPER_MAGIC: "coda",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.NCP_SUPER_MAGIC:  "ncp",

	unix.OCFS2_SUPER_MAGIC: "ocfs2",
	0x01161970:             "gfs2",
	0x0bd00bd0:             "lustre",
	0x47504653:             "gpfs",
	0x19830326:             "beegfs",
	0x786f4256:             "vboxsf",
	0xbacbacbc:             "vmhgfs",
}

// fileSystem returns the kind of file system at path and whether it is local.
func fileSystem(path string) (kind string, local bool, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "", false, err
	}
	// The magic is a 32-bit number that some architectures sign-extend.
	magic := int64(uint32(s.Type))
	if name, found := remote[magic]; found {
		return name, false, nil
	}
	switch magic {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return inMemory, true, nil
	}
	return fmt.Sprintf("type %#x", magic), true, nil
}
