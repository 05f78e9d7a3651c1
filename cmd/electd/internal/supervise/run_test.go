package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// buffer is a writer that the test may read at the same time.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func shell(t *testing.T, script string) (supervise.Program, *buffer) {
	t.Helper()
	out := &buffer{}
	return supervise.Program{
		Election: "orders", Node: "db-a", API: "/run/electd/api.sock", TokenFile: "/run/electd/token",
		Command:     []string{"sh", "-c", script},
		Lock:        filepath.Join(t.TempDir(), "lock"),
		StopTimeout: 10 * time.Second,
		Stdout:      out, Stderr: os.Stderr,
	}, out
}

func start(t *testing.T, p supervise.Program) *supervise.Run {
	t.Helper()
	r := p.Start(7, boottime.In(time.Minute))
	t.Cleanup(func() {
		r.Kill()
		r.Exit()
	})
	return r
}

func timeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestEnvironmentAndOutput(t *testing.T) {
	t.Setenv("ELECTD_SECRET", "not for the program")
	t.Setenv("FROM_ELECTD", "inherited")
	p, out := shell(t, `echo $ELECTD_ELECTION $ELECTD_NODE $ELECTD_EPOCH $ELECTD_API $ELECTD_TOKEN_FILE [$ELECTD_SECRET] $FROM_ELECTD $MODE`)
	p.Env = map[string]string{"MODE": "active"}
	e := start(t, p).Exit()
	if e.Err != nil || !e.Status.Success() || e.Cause != watchdog.Itself {
		t.Errorf("got %+v", e)
	}
	if got, want := out.String(), "orders db-a 7 /run/electd/api.sock /run/electd/token [] inherited active\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestOutputAsLines(t *testing.T) {
	p, _ := shell(t, `printf 'one\ntwo'`)
	var lines []string
	p.Stdout = &logline.Writer{Emit: func(l string) { lines = append(lines, l) }}
	start(t, p).Exit()
	if want := []string{"one", "two"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
}

func TestStop(t *testing.T) {
	p, out := shell(t, `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done`)
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() == "up\n" })
	pid := r.State().PID
	if err := r.Stop(timeout(t)); err != nil {
		t.Fatal(err)
	}
	if e := r.Exit(); e.Cause != watchdog.Stopped || e.Err != nil {
		t.Errorf("got %+v", e)
	}
	if got := out.String(); got != "up\nbye\n" {
		t.Errorf("printed %q", got)
	}
	mustBeEnded(t, pid)
	if !lockFree(t, p.Lock) {
		t.Error("the lock is held after Stop")
	}
	if err := errors.Join(r.Stop(timeout(t)), r.SetDeadline(0), r.Signal(syscall.SIGHUP)); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

func TestStopReturnsWhenItsContextEnds(t *testing.T) {
	p, out := shell(t, `trap '' TERM; echo up; while :; do sleep 1; done`)
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() == "up\n" })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := r.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop says %v of a program that lives", err)
	}
	if ended(r.State().PID) {
		t.Error("it is gone before its stop timeout")
	}
	r.Kill()
	if err := r.Stop(timeout(t)); err != nil {
		t.Error(err)
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	p, out := shell(t, `echo up`)
	r := p.Start(1, boottime.In(time.Minute))
	r.Kill()
	if e := r.Exit(); e.Cause != watchdog.Stopped || e.Err != nil {
		t.Errorf("got %+v", e)
	}
	if err := r.Started(timeout(t)); err == nil || out.String() != "" {
		t.Errorf("it says it started (%v) and printed %q", err, out.String())
	}
}

func TestAnEscapedChildThatHoldsTheOutputHoldsNobodyUp(t *testing.T) {
	p, out := shell(t, `setsid sh -c 'trap "" TERM HUP; sleep 60' & echo up; exit 4`)
	p.StopTimeout = 50 * time.Millisecond
	e := start(t, p).Exit()
	if e.Status.ExitCode() != 4 || out.String() != "up\n" {
		t.Errorf("got %+v, printed %q", e, out.String())
	}
}

func TestRestarts(t *testing.T) {
	p, out := shell(t, `echo up; exit 3`)
	p.Restart = supervise.Restart{When: supervise.OnFailure, Delay: time.Millisecond, Limit: 3}
	e := start(t, p).Exit()
	if e.Restarts != 3 || e.Status.Code != 3 || e.Err == nil || !strings.Contains(e.Err.Error(), "3 restarts") {
		t.Errorf("got %+v", e)
	}
	if got := strings.Count(out.String(), "up"); got != 4 {
		t.Errorf("%d copies, want 4", got)
	}
}

func TestRestartKeepsTheNewestDeadline(t *testing.T) {
	p, out := shell(t, `echo up; exit 3`)
	p.Restart = supervise.Restart{When: supervise.Always, Delay: 2 * time.Second, Limit: 100}
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() != "" })
	if err := r.SetDeadline(boottime.Now()); err != nil {
		t.Fatal(err)
	}
	if e := r.Exit(); e.Cause != watchdog.Deadline || out.String() != "up\n" {
		t.Errorf("got %+v, printed %q", e, out.String())
	}
}

func TestStopDuringTheDelay(t *testing.T) {
	p, out := shell(t, `echo up; exit 3`)
	p.Restart = supervise.Restart{When: supervise.Always, Delay: time.Hour}
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() != "" })
	if err := r.Stop(timeout(t)); err != nil {
		t.Fatal(err)
	}
	if e := r.Exit(); e.Cause != watchdog.Stopped || e.Err != nil {
		t.Errorf("got %+v", e)
	}
}

func TestWhatCannotBeStartedSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*supervise.Program)
		want   []string
	}{
		{"no such program", func(p *supervise.Program) { p.Command = []string{"no-such-program"} }, []string{"no-such-program", "not found in $PATH"}},
		{"no such file", func(p *supervise.Program) { p.Command = []string{"/no/such"} }, []string{"/no/such", "no such file"}},
		{"not executable", func(p *supervise.Program) { p.Command = []string{"/etc/passwd"} }, []string{"/etc/passwd", "permission denied"}},
		{"no such folder", func(p *supervise.Program) { p.Dir = "/no/such" }, []string{"working folder", "/no/such"}},
		{"no folder for the lock", func(p *supervise.Program) { p.Lock = "/no/such/lock" }, []string{"/no/such/lock"}},
		{"no watchdog", func(p *supervise.Program) { p.Watchdog = []string{"/no/such"} }, []string{"watchdog", "/no/such"}},
		{"no command", func(p *supervise.Program) { p.Command = nil }, []string{"no command"}},
		{"reserved name", func(p *supervise.Program) { p.Env = map[string]string{"ELECTD_X": ""} }, []string{"ELECTD_X"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := shell(t, "exit 0")
			p.Restart = supervise.Restart{When: supervise.Always, Delay: time.Hour}
			c.change(&p)
			r := start(t, p)
			err := r.Started(timeout(t))
			if err == nil {
				t.Fatal("it started")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not name %q", err, want)
				}
			}
			if e := r.Exit(); e.Err == nil {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestAStoppedWatchdogIsContinued(t *testing.T) {
	p, out := shell(t, `echo up; while :; do sleep 1; done`)
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() != "" })
	if err := syscall.Kill(r.State().Watchdog, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := r.SetDeadline(boottime.Now()); err != nil {
		t.Fatal(err)
	}
	if e := r.Exit(); e.Cause != watchdog.Deadline {
		t.Errorf("got %+v", e)
	}
}

// A watchdog that alone is stopped is continued long before the kernel would kill
// it, and the program notices nothing.
func TestAStoppedWatchdogCostsTheProgramNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells that a process is stopped")
	}
	log := &buffer{}
	p, out := shell(t, `echo up; while :; do sleep 1; done`)
	p.Log = hclog.New(&hclog.LoggerOptions{Output: log})
	p.Restart = supervise.Restart{When: supervise.Always, Delay: time.Millisecond}
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() != "" })
	if err := r.Started(timeout(t)); err != nil {
		t.Fatal(err)
	}
	for _, lease := range []time.Duration{time.Minute, 1500 * time.Millisecond} {
		before := r.State()
		if err := syscall.Kill(before.Watchdog, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is stopped", func() bool { return stopped(before.Watchdog) })
		if err := r.SetDeadline(boottime.In(lease)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is continued", func() bool { return !stopped(before.Watchdog) })
		if after := r.State(); after != before {
			t.Errorf("with %v to the deadline: %+v became %+v\n%s", lease, before, after, log)
		}
		if err := r.SetDeadline(boottime.In(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(log.String(), "the watchdog process is stopped; continuing it") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

// The death of a watchdog is not counted among the failures of its program.
func TestAKilledWatchdogUsesUpNoRestartOfTheProgram(t *testing.T) {
	log := &buffer{}
	flag := filepath.Join(t.TempDir(), "fail")
	p, out := shell(t, `echo up; while [ ! -e `+flag+` ]; do sleep 0.01; done; exit 3`)
	p.Log = hclog.New(&hclog.LoggerOptions{Output: log})
	p.Restart = supervise.Restart{When: supervise.OnFailure, Delay: time.Millisecond, Limit: 1}
	r := start(t, p)
	eventually(t, "it is up", func() bool { return out.String() == "up\n" })
	if err := syscall.Kill(r.State().Watchdog, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is up again", func() bool { return out.String() == "up\nup\n" })
	if s := log.String(); !strings.Contains(s, `after="its watchdog process died" cause=watchdog`) {
		t.Errorf("the log does not say why it is started again:\n%s", s)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := r.Exit()
	if got := strings.Count(out.String(), "up"); got != 3 || e.Restarts != 2 || e.Status.Code != 3 {
		t.Errorf("started %d times, want 3; got %+v", got, e)
	}
}

func TestAKilledWatchdogIsAFailureOfTheProgram(t *testing.T) {
	p, out := shell(t, `setsid sleep 60 & echo $!; sleep 60`)
	r := start(t, p)
	eventually(t, "it is up", func() bool { return strings.HasSuffix(out.String(), "\n") })
	if err := r.Started(timeout(t)); err != nil {
		t.Fatal(err)
	}
	var left int
	fmt.Sscan(out.String(), &left)
	s := r.State()
	if err := syscall.Kill(s.Watchdog, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := r.Exit(); e.Err == nil || !strings.Contains(e.Err.Error(), "watchdog") {
		t.Errorf("got %+v", e)
	}
	mustBeEnded(t, s.PID, left)
	if !lockFree(t, p.Lock) {
		t.Error("the lock is held at the end")
	}
}

// A program that forks without end, each child in a session of its own and each
// parent gone at once, is the hardest to catch.
func TestAProgramThatForksQuickly(t *testing.T) {
	for _, cgroup := range []bool{true, false} {
		t.Run(fmt.Sprintf("cgroup=%t", cgroup), func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "hop")
			if err := os.WriteFile(script, []byte("#!/bin/sh\necho hop\nsetsid \"$0\" &\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			p, out := shell(t, `for i in 1 2 3; do setsid "$0" & done; sleep 60`)
			p.Command = append(p.Command, script)
			p.StopTimeout = 0
			p.NoCgroup = !cgroup
			r := start(t, p)
			eventually(t, "it hops", func() bool { return strings.Count(out.String(), "hop") > 20 })
			begin := time.Now()
			if err := r.Stop(timeout(t)); err != nil {
				t.Fatal(err)
			}
			t.Logf("caught in %v", time.Since(begin))
			hops := out.String()
			time.Sleep(50 * time.Millisecond)
			if out.String() != hops {
				t.Error("it hops on")
			}
		})
	}
}

// A run leaves nothing open and nobody to be waited for.
func TestNothingIsLeft(t *testing.T) {
	p, _ := shell(t, `exit 0`)
	p.Start(1, boottime.In(time.Minute)).Exit()
	before := openFiles(t)
	for range 20 {
		p.Start(1, boottime.In(time.Minute)).Exit()
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
	var ws syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil); pid > 0 || !errors.Is(err, syscall.ECHILD) {
		t.Errorf("a child was left to be waited for: %d, %v", pid, err)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
