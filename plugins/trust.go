package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// checkTrusted walks from the root down to a file, through every symbolic link,
// and refuses if anybody but root and this user could put other bytes in its
// place: a component that belongs to somebody else, or that group or others may
// write (in a directory with the sticky bit they cannot replace what is not
// theirs).
func checkTrusted(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	done, rest := "/", strings.Split(path, "/")
	if err := checkOwn(done); err != nil {
		return err
	}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		if err := checkOwn(next); err != nil {
			return err
		}
		target, err := os.Readlink(next)
		if err != nil { // not a link
			done = next
			continue
		}
		if links++; links > 40 {
			return fmt.Errorf("%s: too many symbolic links", path)
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return nil
}

func checkOwn(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if owner != 0 && int(owner) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d: a plugin and every directory above it must belong to root or to the user electd runs as (chown it)", path, owner)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return nil // a link's own mode means nothing
	}
	if info.IsDir() && info.Mode()&os.ModeSticky != 0 {
		return nil
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s may be written by others (mode %04o): a plugin and every directory above it must not be (chmod go-w %s)",
			path, info.Mode().Perm(), path)
	}
	return nil
}
