package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/electd/electd/core"
)

const (
	dirVariable  = "ELECTD_FILE_TEST_DIR"
	stepVariable = "ELECTD_FILE_TEST_STEP"
)

// play starts the test binary in a role.
func play(role, dir string, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	c.Env = append(c.Env, env...)
	c.Stderr = os.Stderr
	return c
}

// swapOnce replaces "old" by "new" and kills itself at the step it is told.
func swapOnce() {
	a, err := New(context.Background(), Config{Dir: os.Getenv(dirVariable)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	a.between = func(step string) {
		if step == os.Getenv(stepVariable) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	_, err = a.CompareAndSwap(context.Background(), core.Swap{
		Key: key, Expected: versionOf([]byte("old")), Record: []byte("new"),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestKilledBetweenAnyTwoSystemCalls(t *testing.T) {
	// The steps up to the rename come before the record is replaced, the rest after.
	for _, c := range []struct{ step, stored string }{
		{"look", "old"}, {"mkdir", "old"}, {"lock", "old"}, {"compare", "old"}, {"unlink", "old"}, {"create", "old"},
		{"write", "old"}, {"fsync", "old"}, {"rename", "old"},
		{"stamp", "new"}, {"fsync directory", "new"}, {"unlock", "new"},
	} {
		t.Run(c.step, func(t *testing.T) {
			a := open(t, t.TempDir())
			mustSwap(t, a, "", "old")

			err := play("swap once", a.dir, stepVariable+"="+c.step).Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the writer was not killed at %q: %v", c.step, err)
			}
			s := mustRead(t, a)
			if string(s.Record) != c.stored {
				t.Fatalf("%q is stored, want %q", s.Record, c.stored)
			}

			// The lock is free, the next write works and tidies up.
			mustSwap(t, a, s.Version, "next")
			entries, err := os.ReadDir(a.dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != 2 {
				t.Errorf("the directory holds %v, want the record and its lock", entries)
			}
		})
	}
}

func TestAWriterThatIsNotKilledFinishes(t *testing.T) {
	a := open(t, t.TempDir())
	mustSwap(t, a, "", "old")
	if err := play("swap once", a.dir).Run(); err != nil {
		t.Fatal(err)
	}
	if s := mustRead(t, a); string(s.Record) != "new" {
		t.Errorf("%q is stored", s.Record)
	}
}
