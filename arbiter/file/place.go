package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/electd/electd/core"
)

// checkDir examines the attribute dir without changing anything. Where the
// directory is still missing, the nearest one above it is looked at.
func checkDir(dir string) error {
	wrong := func(problem, advice string, err error) error {
		return &core.AttributeError{Attribute: "dir", Problem: problem, Advice: advice, Err: err}
	}
	if dir == "" {
		return wrong("is missing", `name a directory on this machine, for example dir = "/var/lib/electd/records"`, nil)
	}
	if !filepath.IsAbs(dir) {
		here, _ := filepath.Abs(dir)
		return wrong(fmt.Sprintf("%q is not an absolute path, so every node might mean another directory", dir),
			fmt.Sprintf("write %q if that is the one", here), nil)
	}
	near := nearest(filepath.Clean(dir))
	info, err := os.Stat(near)
	switch {
	case err != nil:
		return wrong(fmt.Sprintf("cannot look at %q", near), "", classed(err))
	case !info.IsDir():
		return wrong(fmt.Sprintf("%q is not a directory", near), "name a directory, or one to be made", nil)
	}
	if err := checkLocal(near); err != nil {
		return wrong(err.Error(), "use a directory on a disk of this machine, or an arbiter made for several machines, such as s3", nil)
	}
	return nil
}

// nearest returns dir, or the nearest directory above it that is there.
func nearest(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// inMemory is the kind of a file system that does not outlive the machine's run.
const inMemory = "memory"

// checkLocal returns an error that names the file system at path if locks there
// do not hold for every process of this machine.
func checkLocal(path string) error {
	kind, local, err := fileSystem(path)
	if err != nil {
		return fmt.Errorf("cannot tell the file system of %q: %w", path, err)
	}
	if !local {
		return fmt.Errorf("%q is on a network or user-space file system (%s), where a lock cannot be relied on", path, kind)
	}
	return nil
}

// ensureDir makes dir and what is missing above it, durably.
func ensureDir(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(dir)
	if err := ensureDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(above)
}

// syncDir makes the entries of dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
