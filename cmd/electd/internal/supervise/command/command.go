// Package command runs a command that belongs to electd for a while: a hook, a
// health check. It runs in a process group of its own, which is killed with its
// children when its time is over.
package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/proctree"
)

// Command is what to run.
type Command struct {
	Args   []string // program and arguments, no shell
	Dir    string   // working folder; empty: electd's
	Env    []string // the whole environment
	Output io.Writer

	// Mortal commands are killed when electd is; others go on. Linux only.
	Mortal bool
}

// outputPatience is how long the output is read on when the command is over but
// a child of it, a daemon it started perhaps, has the output open. After it
// nobody reads.
const outputPatience = 50 * time.Millisecond

// Run runs c. It returns nil if it exited with 0; an *exec.ExitError if it did
// not; what else kept it from running; and the cause of ctx if that ended first:
// then it has been killed, and with it every child that can be found.
func Run(ctx context.Context, c Command) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = c.Env
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	cmd.WaitDelay = outputPatience
	cmd.SysProcAttr = attributes(c.Mortal)

	started := make(chan error, 1)
	ended := make(chan error, 1)
	go func() {
		// A mortal command dies with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	select {
	case err := <-ended:
		return outcome(err)
	case <-ctx.Done():
		killTree(cmd.Process)
		<-ended
		return context.Cause(ctx)
	}
}

// outcome forgives a child that keeps the output open.
func outcome(err error) error {
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// killTree kills a process's group and every descendant, also those that left
// the group. One whose parent is gone is no descendant any more and not found.
func killTree(leader *os.Process) {
	strays := proctree.Hold(leader.Pid)
	defer strays.Release()
	if errors.Is(leader.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return // over this very moment: the number may be somebody else's
	}
	_ = syscall.Kill(-leader.Pid, syscall.SIGKILL)
	strays.Kill()
}
