package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is electd demo in a terminal, and what that shows.
type screen struct {
	t        *testing.T
	command  *exec.Cmd
	tty      *os.File
	terminal *vt.SafeEmulator
	folder   string // TMPDIR of the demo
	exited   chan struct{}
}

const width, height = 120, 40

// openDemo starts the demo in a terminal and waits for a leader.
func openDemo(t *testing.T) *screen {
	t.Helper()
	folder, err := os.MkdirTemp("", "d-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &screen{t: t, folder: folder, exited: make(chan struct{}), command: exec.Command(electd(), "demo"), terminal: vt.NewSafeEmulator(width, height)}
	s.command.Env = append(os.Environ(), "TMPDIR="+folder, "TERM=xterm-256color")
	if s.tty, err = pty.StartWithSize(s.command, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		t.Fatal(err)
	}
	go io.Copy(s.terminal, s.tty)
	go io.Copy(s.tty, s.terminal) // what a terminal answers when it is asked
	go func() {
		defer close(s.exited)
		s.command.Wait()
	}()
	t.Cleanup(func() {
		s.command.Process.Kill()
		<-s.exited
		s.tty.Close()
		s.gone()
		if t.Failed() {
			t.Logf("the screen:\n%s", s.terminal.String())
		}
	})
	s.sees("LEADER")
	return s
}

// sees waits until the screen matches.
func (s *screen) sees(pattern string) {
	s.t.Helper()
	matching := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if matching.MatchString(s.terminal.String()) {
			return
		}
	}
	s.t.Fatalf("the screen never showed %s", pattern)
}

func (s *screen) press(key string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(key); err != nil {
		s.t.Fatal(err)
	}
}

// processes are those of the demo's nodes, their plugins included.
func (s *screen) processes() []int {
	var out []int
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environments {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte("TMPDIR="+s.folder+"\x00")) {
			continue
		}
		var pid int
		fmt.Sscanf(file, "/proc/%d/environ", &pid)
		if pid != s.command.Process.Pid {
			out = append(out, pid)
		}
	}
	return out
}

// gone waits until no process of the demo is left.
func (s *screen) gone() {
	s.t.Helper()
	var left []int
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if left = s.processes(); len(left) == 0 {
			return
		}
	}
	s.t.Errorf("processes %v of the demo are left", left)
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// ended waits for the demo's end and checks what it leaves behind.
func (s *screen) ended() {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatal("the demo does not end")
	}
	if code := s.command.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("exit status %d", code)
	}
	s.gone()
	if left, _ := os.ReadDir(s.folder); len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
	for deadline := time.Now().Add(patience); s.terminal.IsAltScreen(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("the terminal is left on its other screen")
		}
	}
}

// TestDemoKeys presses every key of the demo in a terminal.
func TestDemoKeys(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	if len(s.processes()) < 4 {
		t.Fatalf("processes %v, want two nodes and their plugins", s.processes())
	}
	s.sees(`(?m)follower .* leads at epoch 1 *$`) // and stands: its own look at the store is over
	s.sees(`LEADER +1 +[01]\.\d+ s #`)            // the leader hears it
	time.Sleep(time.Second)                       // also that it stands
	s.press("s")
	s.sees(`step-down db-[ab] at epoch 1: db-[ab] acts at epoch 2 after [0-9.]+ ms, overlap of leaders 0 ms`)
	s.press("p")
	s.sees("cannot hear each other")
	s.press("h")
	s.sees("healed")
	s.press("o")
	s.sees("the store is down")
	s.press("o")
	s.sees("the store is back")
	s.sees(`LEADER +2 +[01]\.\d+ s #`) // on heartbeats again, not on the store's word
	s.press("k")
	s.sees(`kill db-[ab] at epoch 2: db-[ab] acts at epoch 3 after [0-9.]+ ms, overlap of leaders 0 ms`)
	s.sees(`LEADER +3 .*on the store's word`)
	s.press("h")
	s.sees(`LEADER +3 +[01]\.\d+ s #`)
	s.press("f")
	s.sees(`freeze db-[ab] at epoch 3: db-[ab] acts at epoch 4 after [0-9.]+ ms, overlap of leaders 0 ms`)
	s.press("q")
	s.ended()
}

// TestDemoEnds: by Ctrl-C with a frozen node, by SIGTERM, and when the terminal
// is closed, the demo ends and leaves nothing behind.
func TestDemoEnds(t *testing.T) {
	ends := map[string]func(*screen){
		"by Ctrl-C, a node frozen": func(s *screen) {
			s.press("f")
			s.sees("frozen")
			s.press("\x03")
		},
		"by SIGTERM": func(s *screen) { s.command.Process.Signal(syscall.SIGTERM) },
		"by SIGHUP":  func(s *screen) { s.command.Process.Signal(syscall.SIGHUP) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openDemo(t)
			end(s)
			s.ended()
		})
	}
}

// TestDemoKilled: nodes whose demo was killed end by themselves, a frozen one
// too.
func TestDemoKilled(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	s.press("f")
	s.sees("frozen")
	s.command.Process.Kill()
	<-s.exited
	s.gone()
}

// TestDemoWithoutAReader: when nobody reads what it prints any more, the demo ends
// and leaves nothing behind.
func TestDemoWithoutAReader(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "d-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	command := exec.Command(electd(), "demo", "--script", "step-down,step-down", "--json")
	command.Env = append(os.Environ(), "TMPDIR="+folder)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := command.Wait(); err == nil {
		t.Error("it ended with status 0 though its summary was lost")
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
