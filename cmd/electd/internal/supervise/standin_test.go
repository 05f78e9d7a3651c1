package supervise_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM) }

// standIn is an electd that leads. When SIGUSR1 has come it keeps its program's
// deadline a lease ahead, and prints so, until it is frozen or killed.
//
//	electd LOCK LEASE CGROUP COMMAND…
func standIn(args []string) int {
	lease, err := time.ParseDuration(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shorten := make(chan os.Signal, 1)
	signal.Notify(shorten, syscall.SIGUSR1)
	p := supervise.Program{
		Election:    "orders",
		Command:     args[3:],
		Lock:        args[0],
		StopTimeout: 10 * time.Millisecond,
		NoCgroup:    args[2] == "no",
		Stderr:      os.Stderr,
	}
	r := p.Start(1, supervise.Now().Add(time.Minute))
	<-shorten
	for range time.Tick(5 * time.Millisecond) {
		if err := r.SetDeadline(supervise.Now().Add(lease)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("a lease ahead")
	}
	return 0
}

// startStandIn starts one. What it prints can be read from the second result.
func startStandIn(t *testing.T, lock string, lease time.Duration, cgroup string, command ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	c := exec.Command("/proc/self/exe", append([]string{"electd", lock, lease.String(), cgroup}, command...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c, out
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

// ended says whether a process is dead; one that nobody has waited for is.
func ended(pid int) bool { return state(pid) == 'X' || state(pid) == 'Z' }

func mustBeEnded(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if !ended(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
}

func lockFree(t *testing.T, path string) bool {
	t.Helper()
	free, err := supervise.LockFree(path)
	if err != nil {
		t.Fatal(err)
	}
	return free
}

// state is the letter that the kernel gives for a process's state, X for none.
func state(pid int) byte {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 'X'
	}
	_, rest, _ := strings.Cut(string(body), ") ")
	return rest[0]
}
