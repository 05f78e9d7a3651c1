package datadir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// childLive does everything a daemon does with its directory, and says on file
// 3 what it was promised to be on disk, once it was. SIGUSR1 marks the start.
func childLive(dir string) error {
	say := os.NewFile(3, "said")
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		return err
	}
	d, err := Open(dir, "db-a", Random)
	if err != nil {
		return err
	}
	fmt.Fprintln(say, "identity", d.Identity())
	fmt.Fprintln(say, "session", d.Session())
	e, err := d.Election("orders")
	if err != nil {
		return err
	}
	floor, _ := e.Floor()
	for n := range core.Epoch(2) {
		if err := e.SaveFloor(floor + n + 1); err != nil {
			return err
		}
		fmt.Fprintln(say, "floor", floor+n+1)
	}
	if err := errors.Join(e.Pause(time.Now().Add(time.Hour)), e.Resume()); err != nil {
		return err
	}
	return d.Close()
}

// said is what the processes so far were promised.
type said struct {
	identity string
	session  string // of the last process, if it got that far
	floor    core.Epoch
}

// A process killed before, after or in any system call leaves a directory that
// opens, with everything in it that was promised.
func TestKilledAtEverySystemCall(t *testing.T) {
	step := 4 // and the other directory the places between: a call's end and the next one's beginning are one
	if testing.Short() {
		step = 16
	}
	runs := 0
	for first, fresh := range map[int]bool{1: true, 3: false} {
		dir := filepath.Join(t.TempDir(), "db-a")
		var promised said
		for n := first; ; n += step {
			if fresh {
				dir = filepath.Join(t.TempDir(), "db-a")
				promised = said{}
			}
			finished := killAt(t, dir, n, &promised)
			promised.floor = check(t, dir, n, promised)
			if t.Failed() {
				return
			}
			runs++
			if finished {
				break
			}
		}
	}
	t.Logf("%d processes killed, each at another system call", runs)
	if runs < 20 {
		t.Errorf("only %d system calls were tried", runs)
	}
}

// check opens the directory as the next process would, and returns the floor
// it finds.
func check(t *testing.T, dir string, n int, promised said) core.Epoch {
	t.Helper()
	d, err := Open(dir, "db-a", Random)
	if err != nil {
		t.Fatalf("killed at %d: %v", n, err)
	}
	defer d.Close()
	e, err := d.Election("orders")
	if err != nil {
		t.Fatalf("killed at %d: %v", n, err)
	}
	if promised.identity != "" && d.Identity() != promised.identity {
		t.Errorf("killed at %d: identity %q became %q", n, promised.identity, d.Identity())
	}
	if promised.session != "" {
		if id, dead, err := e.Previous(); id != promised.session || !dead || err != nil {
			t.Errorf("killed at %d: previous is %q %v %v, want %q", n, id, dead, err, promised.session)
		}
	}
	floor, ok := e.Floor()
	if floor < promised.floor || floor > promised.floor+1 || !ok && promised.floor > 0 {
		t.Errorf("killed at %d: floor is %d (%v), saved was %d", n, floor, ok, promised.floor)
	}
	for _, folder := range []string{dir, e.path} {
		if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
			t.Errorf("killed at %d: left behind: %v", n, left)
		}
	}
	return floor
}

// killAt runs childLive and kills it when it enters or leaves a system call for
// the nth time after its start mark. It adds what the child said to promised,
// and tells whether the child finished before.
func killAt(t *testing.T, dir string, n int, promised *said) (finished bool) {
	t.Helper()
	heard, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // a tracer is a thread; this one ends with its goroutine
		var err error
		finished, err = trace(dir, n, say)
		say.Close()
		done <- err
	}()
	text, readErr := io.ReadAll(heard)
	if err := errors.Join(<-done, readErr); err != nil {
		t.Fatal(err)
	}
	promised.session = ""
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		what, value, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "identity":
			promised.identity = value
		case "session":
			promised.session = value
		case "floor":
			fmt.Sscan(value, &promised.floor)
		}
	}
	return finished
}

// trace starts childLive under ptrace and steps it from system call to system
// call, all its threads, until the nth.
func trace(dir string, n int, say *os.File) (finished bool, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=live", "DATADIR_TEST_DIR="+dir, "GOMAXPROCS=1", "GOGC=off")
	cmd.ExtraFiles = []*os.File{say}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Kill()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return false, err
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD); err != nil {
		return false, err
	}
	if err := syscall.PtraceSyscall(pid, 0); err != nil {
		return false, err
	}
	started, calls := false, 0
	for {
		thread, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if err != nil {
			return false, err
		}
		if status.Exited() || status.Signaled() {
			if thread == pid {
				return status.Exited(), nil
			}
			continue
		}
		deliver := 0
		switch signal := status.StopSignal(); {
		case signal == syscall.SIGTRAP|0x80: // a system call's beginning or end
			if started {
				calls++
			}
			if calls == n {
				cmd.Process.Kill()
			}
		case signal == syscall.SIGUSR1:
			started = true
		case signal != syscall.SIGTRAP && signal != syscall.SIGSTOP:
			deliver = int(signal)
		}
		if err := syscall.PtraceSyscall(thread, deliver); err != nil && !errors.Is(err, syscall.ESRCH) {
			return false, err
		}
	}
}
