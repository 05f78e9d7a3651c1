// Package build makes the programs that tests run as their users do.
package build

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// The programs that tests ask for.
const (
	Electd   = "github.com/electd/electd/cmd/electd"
	PluginS3 = "github.com/electd/electd/plugins/electd-arbiter-s3"
)

// Into builds programs and calls use with the folder they are in; the folder is
// removed afterwards. The status is use's, or 1 if the programs do not build.
func Into(use func(folder string) int, programs ...string) int {
	folder, err := os.MkdirTemp("", "built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if err := build(folder, programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return use(folder)
}

// build builds programs where the next test finds them, so that only one has to
// link them, and puts them into a folder as they are at this moment. Builds of
// several test processes wait for each other.
func build(folder string, programs []string) error {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return err
	}
	kept := filepath.Join(filepath.Dir(strings.TrimSpace(string(module))), ".cache", "test")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(kept, "lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	command := exec.Command("go", append([]string{"build", "-ldflags=" + LinkFlags, "-o", kept + "/"}, programs...)...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, program := range programs {
		name := path.Base(program)
		if err := take(filepath.Join(kept, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// LinkFlags leave out what only debuggers read: linking takes half the time. Who
// builds into the same folder with other ones has everything linked again.
const LinkFlags = "-s -w"

// take links a file, which go build replaces and never changes, or copies it where
// it cannot be linked.
func take(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
