package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program starts the example and returns the lines it prints.
func program(t *testing.T, binary, dir, name string) (*exec.Cmd, <-chan string) {
	t.Helper()
	c := exec.Command(binary, "-dir", dir, "-name", name, "-lease", "1200ms")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return c, lines
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("it prints nothing")
		return ""
	}
}

func TestTheSecondGoesOnAnEpochHigher(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "embed")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	a, counts := program(t, binary, dir, "a")
	if line := next(t, counts); line != "a counts 1 at epoch 1" {
		t.Fatalf("the first says %q", line)
	}
	b, more := program(t, binary, dir, "b")
	a.Process.Signal(syscall.SIGKILL)
	a.Wait()
	if line := next(t, more); !strings.HasPrefix(line, "b counts 1 at epoch 2") {
		t.Errorf("after a kill the second says %q", line)
	}
	b.Process.Signal(syscall.SIGTERM)
	if err := b.Wait(); err != nil {
		t.Errorf("the second ends with %v", err)
	}
}
