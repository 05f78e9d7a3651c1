package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What the host has inherited, such as by a shell's 9<file, does not reach the
// plugin.
func TestInheritedDescriptorsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "private")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY, 0) // without O_CLOEXEC, as it is inherited
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	h := launchMemory(t, nil)
	dir := fmt.Sprintf("/proc/%d/fd", h.Status().PID)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 3 {
		t.Fatalf("%d descriptors, %v", len(entries), err)
	}
	for _, e := range entries {
		if target, _ := os.Readlink(filepath.Join(dir, e.Name())); target == path {
			t.Errorf("descriptor %s of the plugin is %s", e.Name(), target)
		}
	}
}
