package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/core"
)

// mount mounts a tmpfs with the given options at a new folder.
func mount(t *testing.T, flags uintptr, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		if os.Getuid() != 0 {
			t.Skip("SKIPPED: mounting a file system needs root")
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return dir
}

// On a full disk a floor is not saved, says so, and is what it was before.
func TestDiskFull(t *testing.T) {
	dir := mount(t, 0, "size=256k,mode=0700")
	d, err := Open(filepath.Join(dir, "db-a"), "db-a", Random)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e := election(t, d, "orders")
	if err := e.SaveFloor(1); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk did not fill up: %v", err)
	}
	err = e.SaveFloor(2)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk or quota is full") {
		t.Fatalf("got %v", err)
	}
	if floor, _ := e.Floor(); floor != 1 {
		t.Errorf("a floor that was not saved counts as %d", floor)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := e.SaveFloor(2); err != nil {
		t.Error(err)
	}
	d.Close()
	d, err = Open(d.Path(), "db-a", Random)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if floor, ok := election(t, d, "orders").Floor(); !ok || floor != core.Epoch(2) {
		t.Errorf("floor is %d (%v), want 2", floor, ok)
	}
	if left, _ := filepath.Glob(filepath.Join(e.path, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadOnly(t *testing.T) {
	dir := mount(t, syscall.MS_RDONLY, "")
	_, err := Open(filepath.Join(dir, "db-a"), "db-a", Random)
	if err == nil || !strings.Contains(fmt.Sprint(err), "the file system is read-only") {
		t.Errorf("got %v", err)
	}
}
