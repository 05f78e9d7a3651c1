package watchdog

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

// watch runs one program: one thread, one loop.
type watch struct {
	spec     Spec
	plan     plan
	inbox    *inbox
	lock     *lockfile.Lock
	family   family
	terminal *terminal
	backstop *backstop

	authorised bool // a first deadline has come
}

// Pauses of the loop where nothing wakes it: between two tries for the lock,
// between two rounds of killing, and between two searches for strays.
const (
	lockPause   = 2 * time.Millisecond
	killPause   = 500 * time.Microsecond
	killRounds  = 100 // after these it is the kernel that is slow
	patientKill = 20 * time.Millisecond
	strayPause  = 100 * time.Millisecond
)

// run returns the exit status of the watchdog process.
func run(spec Spec) int {
	w := &watch{
		spec: spec,
		plan: plan{deadline: never, warning: spec.Warning, timeout: spec.StopTimeout},
	}
	if failed := w.start(); failed != nil {
		w.family.close()
		failed.Kind = Failed
		report(*failed)
		return 1
	}
	w.supervise()
	w.family.close()
	w.terminal.giveBack()
	// The lock goes with the process, after this.
	report(Event{Kind: Exited, Cause: w.plan.cause, Status: w.family.status})
	return 0
}

// start takes the lock and starts the program under it. What it returns says
// why there is no program; nil if there is one.
func (w *watch) start() *Event {
	var err error
	if w.inbox, err = newInbox(); err != nil {
		return refused(err)
	}
	if err := adoptOrphans(); err != nil {
		return refused(err)
	}
	if failed := w.claim(); failed != nil {
		return failed
	}
	w.terminal = takeTerminal(w.spec.Foreground)
	if err := w.family.launch(w.spec, w.lock.File(), w.terminal); err != nil {
		return refused(fmt.Errorf("%s: %w", w.spec.Command[0], err))
	}
	w.backstop = newBackstop()
	holder := w.holder()
	holder.Program = w.family.leader
	_ = w.lock.Describe(holder)
	report(Event{Kind: Started, PID: w.family.leader, Cgroup: w.family.cgroup.folder()})
	// Only now, or the program would inherit some of it.
	harden()
	// A path that was walked once is in memory when memory is short.
	w.family.rehearse()
	return nil
}

// claim waits until a deadline has come, no process of an earlier run is left
// and the lock is ours.
func (w *watch) claim() *Event {
	giveUp := boottime.In(w.spec.LockWait)
	for wait := (waiting{}); ; {
		if failed := w.tooLate(); failed != nil {
			return failed
		}
		if !w.authorised {
			w.inbox.wait(w.plan.next())
			continue
		}
		err := w.tryClaim()
		switch {
		case err == nil:
			// Whoever finds the lock free may take this electd's program for dead.
			// So electd has to be alive at a moment when the lock is held.
			return w.tooLate()
		case !isHeld(err):
			return refused(err)
		case boottime.Now() >= giveUp:
			return &Event{Cause: Locked, Holder: wait.holder, Reason: fmt.Sprintf("an earlier run is not over after %s: %s", w.spec.LockWait, err)}
		}
		wait.note(err)
		w.inbox.wait(min(w.plan.next(), boottime.In(lockPause)))
	}
}

// tooLate says whether the end has come before the start.
func (w *watch) tooLate() *Event {
	w.hear()
	if w.plan.due(boottime.Now()) == nothing {
		return nil
	}
	return &Event{Cause: w.plan.cause, Reason: "the end came before the start"}
}

func (w *watch) tryClaim() (err error) {
	if w.lock == nil {
		if w.lock, err = lockfile.TryLock(w.spec.Lock); err != nil {
			return err
		}
		// For people only: a full disk must not keep anybody from leading.
		_ = w.lock.Describe(w.holder())
	}
	return w.family.enclose(w.spec)
}

// waiting is a wait for an earlier run's end: reported once, and helped along.
type waiting struct {
	holder   lockfile.Holder
	reported bool
	search   boottime.Instant // when to look for strays again
}

func (w *waiting) note(err error) {
	if held, ok := errors.AsType[*lockfile.HeldError](err); ok {
		w.holder = held.Holder
		if boottime.Now() >= w.search {
			KillStrays(held.Path, held.Holder.Watchdog)
			w.search = boottime.In(strayPause)
		}
	}
	if !w.reported {
		report(Event{Kind: Waiting, Cause: Locked, Holder: w.holder, Reason: err.Error()})
		w.reported = true
	}
}

func isHeld(err error) bool {
	_, held := errors.AsType[*lockfile.HeldError](err)
	return held || errors.Is(err, errLeftovers)
}

// supervise returns when the last process of the program's group is gone.
func (w *watch) supervise() {
	for rounds := 0; ; {
		w.hear()
		if w.kill(rounds == 0) {
			rounds++
		}
		// Only now: the kernel may take long to bury the dead.
		if w.family.reap() {
			w.plan.end(Itself, 0)
			return
		}
		now := boottime.Now()
		if w.family.exited {
			// What it left behind is not a service of its own.
			w.plan.endIn(Itself, now)
		}
		wake := w.plan.next()
		switch {
		case rounds > killRounds:
			wake = now.Add(patientKill)
		case rounds > 0:
			wake = now.Add(killPause)
		case w.plan.due(now) == ask:
			w.family.signal(w.spec.StopSignal)
			wake = w.plan.next()
		}
		w.inbox.wait(wake)
	}
}

// kill is one round of killing everybody, if that is due, which it reports. The
// first one is told to electd. Until then the kernel is told when to give up
// waiting for it.
func (w *watch) kill(first bool) bool {
	now := boottime.Now()
	if !w.plan.over(now) {
		w.backstop.set(w.plan.hopeless(w.spec.Allowance))
		return false
	}
	w.backstop.set(0) // it is this process that kills
	w.family.kill()
	if first {
		report(Event{Kind: Killing, Cause: w.plan.cause, Late: now.Sub(w.plan.killBy())})
	}
	return true
}

// hear takes in what happened since the last time.
func (w *watch) hear() {
	for {
		f, ok := w.inbox.next()
		if !ok {
			break
		}
		switch f.order() {
		case setDeadline:
			w.plan.deadline = boottime.Instant(f.value())
			w.authorised = true
		case stopProgram:
			w.plan.end(Stopped, boottime.Instant(f.value()))
		case sendSignal:
			w.family.signalLeader(f.value())
		}
	}
	if w.inbox.closed {
		w.plan.endIn(Orphaned, boottime.Now())
	}
	if w.inbox.terminated() {
		w.plan.endIn(Signaled, boottime.Now())
	}
}

func (w *watch) holder() lockfile.Holder {
	return lockfile.Holder{Watchdog: os.Getpid(), Election: w.spec.Election, Epoch: w.spec.Epoch}
}

func refused(err error) *Event { return &Event{Cause: Refused, Reason: err.Error()} }
