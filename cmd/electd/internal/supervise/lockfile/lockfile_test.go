package lockfile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	mustBeFree(t, path, true)
	lock, err := lockfile.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	mustBeFree(t, path, false)
	want := lockfile.Holder{Watchdog: 11, Program: 12, Election: "orders", Epoch: 7}
	if err := lock.Describe(lockfile.Holder{Watchdog: 11, Program: 123456, Election: "a longer name", Epoch: 6}); err != nil {
		t.Fatal(err)
	}
	if err := lock.Describe(want); err != nil {
		t.Fatal(err)
	}
	var held *lockfile.HeldError
	if _, err := lockfile.TryLock(path); !errors.As(err, &held) || held.Holder != want || held.Path != path {
		t.Fatalf("second lock: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	mustBeFree(t, path, true)
}

// Whoever inherited the file holds the lock, and only such are holders.
func TestHolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := lockfile.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	heir := exec.Command("sleep", "60")
	heir.ExtraFiles = []*os.File{lock.File()}
	if err := heir.Start(); err != nil {
		t.Fatal(err)
	}
	defer heir.Wait()
	defer heir.Process.Kill()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	onlooker, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer onlooker.Close()
	mustBeFree(t, path, false)
	if got := lockfile.Holders(path); !slices.Equal(got, []int{heir.Process.Pid}) {
		t.Errorf("holders %v, want %d alone", got, heir.Process.Pid)
	}
}

func TestUnknownIsAnError(t *testing.T) {
	if _, err := lockfile.Free(filepath.Join(t.TempDir(), "lock\x00")); err == nil {
		t.Error("a path that cannot be looked at counts as known")
	}
}

func mustBeFree(t *testing.T, path string, want bool) {
	t.Helper()
	free, err := lockfile.Free(path)
	if err != nil {
		t.Fatal(err)
	}
	if free != want {
		t.Errorf("free: %t, want %t", free, want)
	}
}
