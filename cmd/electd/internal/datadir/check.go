package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Check reports what Open would find wrong with the directory at path for node,
// and makes and locks nothing. That another process has it is no mistake. What
// only another user may use is an error that wraps fs.ErrPermission.
func Check(path, node string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkAbove(path)
	case err != nil:
		return unusable(path, err)
	case !info.IsDir():
		return notDirectory(path)
	}
	if err := unix.Access(path, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return unusable(path, err)
	}
	if err := checkOwn(path); err != nil {
		return err
	}
	_, _, err = knownIdentity(path, node)
	return err
}

// checkAbove reports why a directory could not be made.
func checkAbove(path string) error {
	for above := filepath.Dir(path); ; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		switch {
		case errors.Is(err, fs.ErrNotExist) && above != filepath.Dir(above):
			continue
		case err == nil && !info.IsDir():
			return notDirectory(above)
		case err == nil:
			err = unix.Access(above, unix.W_OK|unix.X_OK)
		}
		switch {
		case errors.Is(err, fs.ErrPermission):
			return notMakeable(path, above, err)
		case err != nil:
			return unusable(above, err)
		}
		return nil
	}
}
