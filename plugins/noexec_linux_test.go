package plugins_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/plugins"
)

// noexecDir is a directory on a file system from which nothing may be executed.
func noexecDir(t *testing.T) string {
	t.Helper()
	dir := shortDir(t)
	err := syscall.Mount("electd-test", dir, "tmpfs", syscall.MS_NOEXEC, "size=64m,mode=0700")
	if errors.Is(err, syscall.EPERM) {
		t.Skip("SKIPPED: only root can mount a file system")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestTemporaryDirectoryMountedNoexec(t *testing.T) {
	dir := noexecDir(t)
	spec := specForFile(t, copyOfThisProgram(t))
	spec.SocketDir = dir
	spec.Pin = pinOf(t, spec.Path)
	launch(t, spec, nil) // nothing is executed from there
}

func TestPluginMountedNoexecIsNamed(t *testing.T) {
	path := filepath.Join(noexecDir(t), "electd-arbiter-memory")
	bytes, err := os.ReadFile(copyOfThisProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = plugins.Launch(t.Context(), specForFile(t, path))
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "mounted noexec") {
		t.Errorf("%v does not name the file and the reason", err)
	}
}
