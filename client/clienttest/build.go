package clienttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Electd returns the path of an electd to test with: the one that ELECTD_BIN
// names, else one built from the source at hand, once for all tests.
func Electd(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("ELECTD_BIN"); path != "" {
		return path
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built = sync.OnceValues(build)

// build builds electd where the next test run finds it, as internal/build does. Builds of several test
// processes wait for each other.
func build() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(filepath.Dir(strings.TrimSpace(string(module))), ".cache", "test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "electd")
	command := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "github.com/electd/electd/cmd/electd")
	command.Stderr = os.Stderr
	return path, command.Run()
}
