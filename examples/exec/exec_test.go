// Package exec_test runs the example as its README says.
package exec_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/internal/build"
)

// programs is the folder with electd.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, build.Electd))
}

// terminal is the README's command, in a folder of the test's own.
type terminal struct {
	*exec.Cmd
	log string
}

// open returns the command as the README has it, with seconds of work.
func open(t *testing.T, folder, seconds string) terminal {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\./electd (exec .*)$`).FindStringSubmatch(string(text))
	if line == nil {
		t.Fatal("the README runs electd exec no more")
	}
	args := strings.Fields(strings.ReplaceAll(line[1], "/tmp/electd-nightly", filepath.Join(folder, "lease")))
	log := filepath.Join(folder, "log")
	c := exec.Command(filepath.Join(programs, "electd"), append(args, log)...)
	c.Dir = filepath.Join("..", "..")
	c.Env = append(os.Environ(), "NIGHTLY_SECONDS="+seconds, "XDG_STATE_HOME="+filepath.Join(folder, "state"))
	c.Stderr = os.Stderr
	return terminal{c, log}
}

// folder is short enough for Unix sockets.
func folder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "x-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// waitFor waits until the log matches.
func (c terminal) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	matching := regexp.MustCompile(pattern)
	var text []byte
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, _ = os.ReadFile(c.log); matching.Match(text) {
			return string(text)
		}
	}
	t.Fatalf("the log never matched %s, but is:\n%s", pattern, text)
	return ""
}

func (c terminal) begin(t *testing.T) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
}

// TestTwoTerminals: one after the other, as the README shows.
func TestTwoTerminals(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, second := open(t, dir, "1"), open(t, dir, "0.1")
	first.begin(t)
	first.waitFor(t, "epoch 1: begun")
	second.begin(t)
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Error(err)
	}
	text := second.waitFor(t, "epoch 2: done")
	if !regexp.MustCompile(`^epoch 1: begun by (\S+)\nepoch 1: done\nepoch 2: begun by \S+-2\nepoch 2: done\n$`).MatchString(text) {
		t.Errorf("the log is not as the README shows it:\n%s", text)
	}
}

// TestKilled: the job dies with its electd, and the next one begins within the
// lease.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, second := open(t, dir, "60"), open(t, dir, "0.1")
	first.begin(t)
	first.waitFor(t, "epoch 1: begun")
	second.begin(t)
	time.Sleep(time.Second)
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	killed := time.Now()
	second.waitFor(t, "epoch 2: begun")
	if took := time.Since(killed); took > 13*time.Second {
		t.Errorf("the second one began %s after the first one was killed, want at most the lease of 10 s, and a little", took)
	}
	if err := second.Wait(); err != nil {
		t.Error(err)
	}
	if text := second.waitFor(t, "epoch 2: done"); strings.Contains(text, "epoch 1: done") {
		t.Errorf("the killed job went on:\n%s", text)
	}
}
