package watchdog_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// run is a watchdog under test, with what its program printed.
type run struct {
	*watchdog.Process
	t     *testing.T
	lines *bufio.Reader
}

func lockPath(t *testing.T) string { return filepath.Join(t.TempDir(), "election.lock") }

// start starts a watchdog; the shell script is its program, but for a change.
func start(t *testing.T, script string, change func(*watchdog.Spec)) *run {
	t.Helper()
	spec := watchdog.Spec{
		Election:    "orders",
		Epoch:       7,
		Command:     []string{"/bin/sh", "-c", script},
		Env:         os.Environ(),
		Lock:        lockPath(t),
		LockWait:    10 * time.Second,
		StopSignal:  syscall.SIGTERM,
		StopTimeout: time.Second,
	}
	if change != nil {
		change(&spec)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	p, err := watchdog.Start([]string{os.Args[0], "watchdog"}, watchdog.Files{Stdout: write, Stderr: os.Stderr}, spec)
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Process: p, t: t, lines: bufio.NewReader(read)}
	t.Cleanup(func() {
		r.Stop(0)
		for range r.Events() {
		}
	})
	return r
}

// until moves the deadline d from now.
func (r *run) until(d time.Duration) boottime.Instant {
	r.t.Helper()
	i := boottime.In(d)
	if err := r.SetDeadline(i); err != nil {
		r.t.Fatal(err)
	}
	return i
}

// expect returns the next event, which must be of the kind.
func (r *run) expect(kind watchdog.EventKind) watchdog.Event {
	r.t.Helper()
	select {
	case e := <-r.Events():
		if e.Kind != kind {
			r.t.Fatalf("got event %+v, want %q", e, kind)
		}
		return e
	case <-time.After(20 * time.Second):
		r.t.Fatalf("no event in 20 s, want %q", kind)
	}
	panic("unreachable")
}

// line returns the next line that the program printed.
func (r *run) line() string {
	r.t.Helper()
	s, err := r.lines.ReadString('\n')
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(s)
}

// pid returns a process id that the program printed.
func (r *run) pid() int {
	r.t.Helper()
	n, err := strconv.Atoi(r.line())
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// ended says whether a process is dead; one that nobody has waited for is.
func ended(pid int) bool {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	_, rest, _ := strings.Cut(string(body), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}

func mustBeEnded(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if !ended(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
}

func mustBeFree(t *testing.T, path string, want bool) {
	t.Helper()
	free, err := lockfile.Free(path)
	if err != nil {
		t.Fatal(err)
	}
	if free != want {
		t.Errorf("lock free: %t, want %t", free, want)
	}
}

func TestRunsAndPassesTheExitStatusOn(t *testing.T) {
	r := start(t, `echo "$0 $PWD"; exit 42`, func(s *watchdog.Spec) { s.Dir = "/" })
	r.until(time.Minute)
	r.expect(watchdog.Started)
	if got := r.line(); got != "/bin/sh /" {
		t.Errorf("program printed %q", got)
	}
	e := r.expect(watchdog.Exited)
	if e.Status.Code != 42 || e.Cause != watchdog.Itself {
		t.Errorf("got %+v", e)
	}
	if e, open := <-r.Events(); open {
		t.Errorf("an event after the last: %+v", e)
	}
}

func TestStartsOnlyWithADeadline(t *testing.T) {
	r := start(t, `echo up; sleep 60`, nil)
	select {
	case e := <-r.Events():
		t.Fatalf("event %+v without a deadline", e)
	case <-time.After(200 * time.Millisecond):
	}
	r.until(time.Minute)
	r.expect(watchdog.Started)
}

func TestDeadlineInThePastStartsNothing(t *testing.T) {
	var lock string
	r := start(t, `echo up`, func(s *watchdog.Spec) { lock = s.Lock })
	r.until(-time.Second)
	e := r.expect(watchdog.Failed)
	if e.Cause != watchdog.Deadline {
		t.Errorf("got %+v", e)
	}
	for range r.Events() {
	}
	if _, err := r.lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Error("the program ran")
	}
	mustBeFree(t, lock, true)
}

func TestKillsAtTheDeadline(t *testing.T) {
	for _, cgroup := range []bool{true, false} {
		t.Run(fmt.Sprintf("cgroup=%t", cgroup), func(t *testing.T) {
			var lock string
			// A child in the group, one that left it, and one whose parent is gone too.
			r := start(t, `trap '' TERM
				sleep 60 & echo $!
				setsid sh -c 'trap "" TERM; echo $$; sleep 60' &
				sh -c 'setsid sh -c "trap \"\" TERM; echo \$\$; sleep 60" & '
				sleep 60`, func(s *watchdog.Spec) { s.NoCgroup = !cgroup; lock = s.Lock })
			r.until(time.Minute)
			leader := r.expect(watchdog.Started)
			pids := []int{leader.PID, r.pid(), r.pid(), r.pid()}
			if cgroup && leader.Cgroup == "" {
				t.Skip("SKIPPED: no control group can be made here; run as root, or with a delegated one")
			}
			if !cgroup && leader.Cgroup != "" {
				t.Errorf("a control group %q though none was wanted", leader.Cgroup)
			}
			mustBeFree(t, lock, false)

			deadline := r.until(300 * time.Millisecond)
			time.Sleep(deadline.Left() - 50*time.Millisecond)
			for _, pid := range pids {
				if ended(pid) && boottime.Now() < deadline {
					t.Errorf("process %d ended before the deadline", pid)
				}
			}
			killing := r.expect(watchdog.Killing)
			e := r.expect(watchdog.Exited)
			t.Logf("killing began %v after the deadline, all over %v after", killing.Late, -deadline.Left())
			if e.Cause != watchdog.Deadline || e.Status.Signal != syscall.SIGKILL {
				t.Errorf("got %+v", e)
			}
			mustBeEnded(t, pids...)
			for range r.Events() {
			}
			mustBeFree(t, lock, true)
			if _, err := os.Stat(leader.Cgroup); cgroup && !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", leader.Cgroup, err)
			}
		})
	}
}

func TestDeadlineMoves(t *testing.T) {
	r := start(t, `sleep 60`, nil)
	first := r.until(2 * time.Second)
	r.expect(watchdog.Started)
	for boottime.Now() < first.Add(200*time.Millisecond) {
		r.until(20 * time.Second)
		time.Sleep(50 * time.Millisecond)
	}
	r.until(50 * time.Millisecond) // sooner, too
	r.expect(watchdog.Killing)
	if e := r.expect(watchdog.Exited); e.Cause != watchdog.Deadline {
		t.Errorf("got %+v", e)
	}
}

func TestStopLetsTheProgramEnd(t *testing.T) {
	r := start(t, `trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done`, nil)
	r.until(time.Minute)
	r.expect(watchdog.Started)
	r.line()
	if err := r.Stop(boottime.In(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	e := r.expect(watchdog.Exited)
	if e.Cause != watchdog.Stopped || e.Status.Code != 3 {
		t.Errorf("got %+v", e)
	}
	if got := r.line(); got != "bye" {
		t.Errorf("program printed %q", got)
	}
}

func TestStopKillsAProgramThatIgnoresIt(t *testing.T) {
	r := start(t, `trap '' TERM; echo up; while :; do sleep 1; done`, nil)
	r.until(time.Minute)
	r.expect(watchdog.Started)
	r.line()
	r.Stop(boottime.In(200 * time.Millisecond))
	r.expect(watchdog.Killing)
	if e := r.expect(watchdog.Exited); e.Cause != watchdog.Stopped || e.Status.Signal != syscall.SIGKILL {
		t.Errorf("got %+v", e)
	}
}

func TestLeftoversEndWithTheProgram(t *testing.T) {
	r := start(t, `setsid sleep 60 & echo $!; sleep 0.05; exit 5`, nil)
	r.until(time.Minute)
	r.expect(watchdog.Started)
	left := r.pid()
	e := r.expect(watchdog.Exited)
	if e.Cause != watchdog.Itself || e.Status.Code != 5 {
		t.Errorf("got %+v", e)
	}
	mustBeEnded(t, left)
}

func TestSignalReachesTheProgram(t *testing.T) {
	r := start(t, `trap 'echo usr1' USR1; echo up; while :; do sleep 0.01; done`, nil)
	r.until(time.Minute)
	r.expect(watchdog.Started)
	r.line()
	if err := r.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if got := r.line(); got != "usr1" {
		t.Errorf("program printed %q", got)
	}
}

func TestWarningComesBeforeTheDeadline(t *testing.T) {
	r := start(t, `trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done`,
		func(s *watchdog.Spec) { s.Warning = 10 * time.Second })
	r.until(time.Minute)
	r.expect(watchdog.Started)
	r.line()
	r.until(9 * time.Second)
	e := r.expect(watchdog.Exited)
	if e.Cause != watchdog.Deadline || e.Status.Code != 9 {
		t.Errorf("got %+v", e)
	}
}

func TestTheLockAdmitsOneCopy(t *testing.T) {
	lock := lockPath(t)
	first := start(t, `trap '' TERM; echo up; sleep 60`, func(s *watchdog.Spec) { s.Lock = lock })
	first.until(time.Minute)
	a := first.expect(watchdog.Started)
	// Whoever is told of the program finds it in the lock already.
	var held *lockfile.HeldError
	if _, err := lockfile.TryLock(lock); !errors.As(err, &held) || held.Holder.Program != a.PID {
		t.Errorf("at the start: %v, want program %d", err, a.PID)
	}
	first.line()

	late := start(t, `echo up`, func(s *watchdog.Spec) { s.Lock = lock; s.LockWait = 50 * time.Millisecond })
	late.until(time.Minute)
	e := late.expect(watchdog.Waiting)
	if e.Holder.Program != a.PID || e.Holder.Watchdog != first.PID() || e.Holder.Epoch != 7 {
		t.Errorf("holder is %+v", e.Holder)
	}
	e = late.expect(watchdog.Failed)
	if e.Cause != watchdog.Locked || !strings.Contains(e.Reason, fmt.Sprint(a.PID)) {
		t.Errorf("got %+v", e)
	}

	patient := start(t, `echo up; exit 0`, func(s *watchdog.Spec) { s.Lock = lock })
	patient.until(time.Minute)
	patient.expect(watchdog.Waiting)
	first.Stop(0)
	first.expect(watchdog.Killing)
	first.expect(watchdog.Exited)
	patient.expect(watchdog.Started)
	mustBeEnded(t, a.PID)
	patient.expect(watchdog.Exited)
}

func TestAKilledWatchdogTakesTheProgramAlong(t *testing.T) {
	lock := lockPath(t)
	r := start(t, `setsid sleep 60 & echo $!; sleep 60 & echo $!; wait`, func(s *watchdog.Spec) { s.Lock = lock })
	r.until(time.Minute)
	a := r.expect(watchdog.Started)
	left, inGroup := r.pid(), r.pid()
	eventually(t, "it has left the group", func() bool {
		group, err := unix.Getpgid(left)
		return err == nil && group != a.PID
	})
	if err := unix.Kill(r.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.expect(watchdog.Lost)
	eventually(t, "the program is dead", func() bool { return ended(a.PID) })
	if runtime.GOOS == "linux" {
		eventually(t, "its group is dead", func() bool { return ended(inGroup) })
	}
	// The kernel takes only the program's group along. The lock tells of the rest,
	// and the next watchdog ends it before it starts anything.
	mustBeFree(t, lock, false)
	next := start(t, `echo up`, func(s *watchdog.Spec) { s.Lock = lock })
	next.until(time.Minute)
	next.expect(watchdog.Waiting)
	next.expect(watchdog.Started)
	mustBeEnded(t, left, inGroup)
	next.expect(watchdog.Exited)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}
