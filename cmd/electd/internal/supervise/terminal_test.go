package supervise_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise"
)

// onTerminal is an electd exec on a terminal.
//
//	terminal LOCK SCRIPT
func onTerminal(args []string) int {
	r := supervise.Program{
		Election: "orders", Lock: args[0], Command: []string{"sh", "-c", args[1]}, StopTimeout: time.Second,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Foreground: true,
	}.Start(1, supervise.Now().Add(time.Minute))
	e := r.Exit()
	foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	fmt.Printf("ended with %d, foreground again: %t %v\n", e.Status.ExitCode(), foreground == unix.Getpgrp(), err)
	stty := exec.Command("stty", "-a")
	stty.Stdin = os.Stdin
	modes, err := stty.Output()
	fmt.Printf("echo again: %t %v\n", strings.Contains(string(modes), " echo "), err)
	return e.Status.ExitCode()
}

// startOnTerminal starts the stand-in as the leader of a terminal's session.
func startOnTerminal(t *testing.T, script string) (*exec.Cmd, *os.File, *bufio.Reader) {
	t.Helper()
	c := exec.Command("/proc/self/exe", "terminal", filepath.Join(t.TempDir(), "lock"), script)
	terminal, err := pty.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		terminal.Close()
	})
	if err := terminal.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Log("a terminal without deadlines:", err)
	}
	return c, terminal, bufio.NewReader(terminal)
}

func expectLine(t *testing.T, from *bufio.Reader, want string) {
	t.Helper()
	var seen []string
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatalf("%v before %q came; seen: %q", err, want, seen)
		}
		if line = strings.TrimSpace(line); line == want {
			return
		}
		seen = append(seen, line)
	}
}

func TestTheProgramHasTheTerminal(t *testing.T) {
	c, terminal, lines := startOnTerminal(t, `stty -echo; echo ready; read x; echo "got $x"; kill -TSTP $$; echo "went on"; exit 6`)
	expectLine(t, lines, "ready")
	fmt.Fprintln(terminal, "hello")
	expectLine(t, lines, "got hello")
	expectLine(t, lines, "went on") // no shell is there to continue it
	expectLine(t, lines, "ended with 6, foreground again: true <nil>")
	expectLine(t, lines, "echo again: true <nil>")
	if err := c.Wait(); c.ProcessState.ExitCode() != 6 {
		t.Error(err)
	}
}

func TestInterruptReachesTheProgramAlone(t *testing.T) {
	_, terminal, lines := startOnTerminal(t, `trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.01; done`)
	expectLine(t, lines, "ready")
	fmt.Fprint(terminal, "\x03") // Ctrl-C
	expectLine(t, lines, "ended with 7, foreground again: true <nil>")
}
