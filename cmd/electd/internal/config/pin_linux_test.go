package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Who may not write the file is told what to do, not about a file that electd made.
func TestWritePinSaysWhoMay(t *testing.T) {
	path := configured(t, `arbiter "acme" {}`)
	folder := filepath.Dir(path)
	for name, mode := range map[string]os.FileMode{path: 0o644, folder: 0o555, filepath.Dir(folder): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(folder, 0o700)
	before := text(t, path)
	err := asNobody(func() error {
		_, err := WritePin(path, Pin{SHA256: newSum})
		return err
	})
	if want := "may not replace " + path + ", which is left as it is: run it as root or as its owner"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if text(t, path) != before {
		t.Error("the file is changed")
	}
}

// asNobody runs f on a thread that uses files as a user to whom none belongs, and
// that ends with it.
func asNobody(f func() error) error {
	done := make(chan error)
	go func() {
		const nobody = 65534
		if os.Geteuid() == 0 { // else the folder's mode is enough
			runtime.LockOSThread() // and never unlocked
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0); errno != 0 {
				done <- errno
				return
			}
		}
		done <- f()
	}()
	return <-done
}
