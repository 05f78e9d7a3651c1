package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// Run is one run of a Program, for one epoch: the first copy and its restarts.
// No method blocks unless it takes a context.
type Run struct {
	program Program
	epoch   uint64

	up   chan struct{} // closed when the first copy has started
	stop chan struct{} // closed when a stop was asked for
	done chan struct{} // closed when all is over
	exit Exit          // valid when done is closed

	mu       sync.Mutex
	deadline boottime.Instant
	killAt   boottime.Instant  // of the stop that was asked for
	process  *watchdog.Process // of the copy that there is
	pid      int
	restarts int
}

// State is what a Run is at.
type State struct {
	PID      int  // of the program; 0 while none runs
	Watchdog int  // process id of its watchdog; 0 between two copies
	Restarts int  // copies after the first
	Stopping bool // a stop was asked for
}

// Start starts p for an epoch. Its watchdog kills it at the deadline, which is
// the end of the authority less the kill allowance. A Run has to be stopped, or
// waited for, whether it got started or not. Errors, those of p included, are in
// Exit.
func (p Program) Start(epoch uint64, deadline boottime.Instant) *Run {
	r := &Run{
		program:  p.withDefaults(),
		epoch:    epoch,
		deadline: deadline,
		up:       make(chan struct{}),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go r.main()
	return r
}

// SetDeadline moves the instant at which the whole group is killed; it may
// become sooner. Once it has returned nil the watchdog is bound by it, even if
// electd is frozen at that very moment: a leader that gives up authority has to
// call it first. An error means that the watchdog may not know.
func (r *Run) SetDeadline(i boottime.Instant) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadline = i
	if r.process == nil {
		return nil
	}
	return notGone(r.process.SetDeadline(i))
}

// Signal sends a signal to the program itself; none if there is no program now.
func (r *Run) Signal(s syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process == nil {
		return nil
	}
	return notGone(r.process.Signal(s))
}

// Stop asks the program to stop, has it killed when its stop timeout is over,
// and returns nil when its whole group is gone. If ctx ends first, the stop goes
// on and the program may be alive.
func (r *Run) Stop(ctx context.Context) error {
	r.askToStop(boottime.In(r.program.StopTimeout))
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the program is not known to be gone: %w", context.Cause(ctx))
	}
}

// Kill kills the whole group at once. Done tells when it is gone.
func (r *Run) Kill() { r.askToStop(boottime.Now()) }

// Started returns nil when the first copy has started. If it has not, the error
// says why.
func (r *Run) Started(ctx context.Context) error {
	select {
	case <-r.up:
		return nil
	case <-r.done:
		select {
		case <-r.up: // over by now, but it did start
			return nil
		default:
		}
		if r.exit.Err == nil {
			return errors.New("the program was stopped before it had started")
		}
		return r.exit.Err
	case <-ctx.Done():
		return fmt.Errorf("the program has not started yet: %w", context.Cause(ctx))
	}
}

// Done is closed when no process of the program is left and none will be
// started again.
func (r *Run) Done() <-chan struct{} { return r.done }

// Exit says how it ended. It waits for Done.
func (r *Run) Exit() Exit {
	<-r.done
	return r.exit
}

// State returns what it is at now.
func (r *Run) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{PID: r.pid, Restarts: r.restarts, Stopping: r.stopping()}
	if r.process != nil {
		s.Watchdog = r.process.PID()
	}
	return s
}

// notGone: a watchdog that is gone has left nothing that must be told.
func notGone(err error) error {
	if errors.Is(err, watchdog.ErrGone) {
		return nil
	}
	return err
}

func (r *Run) stopping() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

func (r *Run) askToStop(killAt boottime.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopping() {
		r.killAt = killAt
		close(r.stop)
	}
	r.killAt = min(r.killAt, killAt)
	if r.process != nil {
		r.tellStop()
	}
}

// tellStop has the watchdog stop the program. One that takes nothing any more is
// killed, and its program with it: nobody else would do it before the deadline.
func (r *Run) tellStop() {
	if err := notGone(r.process.Stop(r.killAt)); err != nil {
		r.program.Log.Error("the watchdog process cannot be told to stop the program: killing both", "error", err)
		r.process.Kill()
	}
}

// main runs copy after copy until the restart policy or somebody ends it.
func (r *Run) main() {
	defer close(r.done)
	if err := r.program.Check(); err != nil {
		r.exit = Exit{Cause: watchdog.Refused, Err: err}
		return
	}
	// A watchdog that somebody kills is no failure of the program's own.
	var ended, killed attempts
	for {
		began := boottime.Now()
		e := r.runCopy()
		r.exit = Exit{Cause: e.event.Cause, Status: e.status(), Restarts: r.State().Restarts, Err: e.err()}
		if !e.restartable() {
			return
		}
		tries := &ended
		if e.event.Kind == watchdog.Lost {
			tries = &killed
		}
		delay, again := tries.next(r.program.Restart, e.status(), boottime.Now().Sub(began))
		if !again {
			if *tries > 0 && r.exit.Err != nil {
				r.exit.Err = fmt.Errorf("%w, after %d restarts", r.exit.Err, *tries)
			}
			return
		}
		r.program.Log.Warn("the program is started again", "after", e.String(), "cause", e.event.Cause, "error", e.err(), "in", delay, "restart", int(*tries), "limit", r.program.Restart.Limit)
		if cause, ended := r.pause(delay); ended {
			r.exit.Cause = cause
			return
		}
		r.mu.Lock()
		r.restarts++
		r.mu.Unlock()
	}
}

// pause waits before a restart. It says why there will be none.
func (r *Run) pause(delay time.Duration) (watchdog.Cause, bool) {
	t := time.NewTimer(delay)
	defer t.Stop()
	select {
	case <-r.stop:
		r.exit.Err = nil
		return watchdog.Stopped, true
	case <-t.C:
		return "", false
	}
}

// isUp says whether a first copy has started.
func (r *Run) isUp() bool {
	select {
	case <-r.up:
		return true
	default:
		return false
	}
}

// setPID notes the program's process, and that the first one is up.
func (r *Run) setPID(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pid = pid
	if pid != 0 && !r.isUp() {
		close(r.up)
	}
}
