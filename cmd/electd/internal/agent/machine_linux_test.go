package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/cmd/electd/internal/config"
)

// asNobody calls f as a user who may do nothing: in a thread that is thrown away.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f() // may do nothing with what is closed to its own user
		return
	}
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		const nobody = 65534
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Skipf("cannot become another user: %v", errno)
	}
}

// Whoever is not the daemon's user learns what could not be looked at, and not
// that it is wrong.
func TestMachineOfAnotherUser(t *testing.T) {
	folder := t.TempDir()
	for above := folder; len(above) > len(os.TempDir()); above = filepath.Dir(above) {
		if err := os.Chmod(above, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := `node {
  id       = "db-a"
  data_dir = "closed"
}
arbiter "file" { dir = "store" }
api {
  listen = "127.0.0.1:7401"
  tls {
    cert_file = "pem"
    key_file  = "pem"
  }
}
election "orders" {}
`
	for name, mode := range map[string]os.FileMode{"electd.hcl": 0o644, "pem": 0} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	c, diags := config.Load(filepath.Join(folder, "electd.hcl"))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	var found []config.Problem
	asNobody(t, func() { found = CheckMachine(c).Problems() })
	if len(found) != 2 {
		t.Fatalf("%d messages: %v", len(found), found)
	}
	for i, line := range []int{3, 8} {
		if p := found[i]; p.Severity != "warning" || p.Line != line || !strings.Contains(p.Detail, "as the user that electd runs as") {
			t.Errorf("message %d: %+v, want a warning about line %d", i, p, line)
		}
	}
}
