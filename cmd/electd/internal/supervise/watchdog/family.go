package watchdog

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// family is the program and every process that descends from it.
type family struct {
	leader int    // process id of the program, which leads its process group
	exited bool   // the program itself has ended, with status
	status Status // of the program
	cgroup *cgroup
	jobs   bool // the terminal can stop the program
}

// errLeftovers: processes of an earlier run are alive, though nobody holds the
// lock for them. They have been sent SIGKILL.
var errLeftovers = errors.New("processes of an earlier run are still in its control group")

// enclose makes the control group, with the lock held. It returns errLeftovers
// until nobody of an earlier run is in it.
func (f *family) enclose(spec Spec) error {
	if f.cgroup == nil {
		f.cgroup = newCgroup(spec)
	}
	return f.cgroup.clear()
}

// launch starts the program. The lock's file stays open in it and in whoever it
// starts: should the watchdog itself be killed, they hold the lock on.
func (f *family) launch(spec Spec, lock *os.File, t *terminal) error {
	path, err := exec.LookPath(spec.Command[0])
	if err != nil {
		return errors.Unwrap(err)
	}
	if spec.Dir != "" {
		if _, err := os.Stat(spec.Dir); err != nil {
			return fmt.Errorf("working folder: %w", err)
		}
	}
	f.jobs = t.active
	attr := &syscall.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.Env,
		Files: []uintptr{0, 1, 2, lock.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: t.active, Ctty: terminalFD},
	}
	f.leader, err = f.fork(path, spec.Command, attr)
	return err
}

// reap takes note of every process that has ended. It returns true when none is
// left.
func (f *family) reap() bool {
	options := unix.WNOHANG
	if f.jobs {
		options |= unix.WUNTRACED
	}
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, options, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			return f.lastOne()
		case pid == 0:
			return false
		case ws.Stopped():
			f.resume(ws.StopSignal())
		case pid == f.leader:
			f.exited = true
			f.status = statusOf(ws)
		}
	}
}

func statusOf(ws unix.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}

// resume goes on with a program that its terminal stopped: a leader cannot wait
// in the background, and no shell is there to bring it back.
func (f *family) resume(by syscall.Signal) {
	if by == unix.SIGTSTP || by == unix.SIGTTIN || by == unix.SIGTTOU {
		_ = unix.Kill(-f.leader, unix.SIGCONT)
	}
}

// signalLeader sends a signal to the program alone.
func (f *family) signalLeader(n int64) {
	if f.leader != 0 && !f.exited {
		_ = unix.Kill(f.leader, syscall.Signal(n))
	}
}
