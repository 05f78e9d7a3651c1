package supervise

import (
	"syscall"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

const (
	// outputPatience bounds the wait for output that an escaped process could
	// still write.
	outputPatience = time.Second
	// Every lookPause electd looks whether the watchdog is stopped, and whether a
	// kill is overdue by more than overdue. If it has not looked for longer than
	// standstill, it stood still itself.
	lookPause  = 100 * time.Millisecond
	overdue    = 250 * time.Millisecond
	standstill = time.Second
	// A watchdog found stopped in stoppedLooks looks in a row is continued, or in
	// one if its kill is due within hurry: the kernel kills it soon after that.
	stoppedLooks = 3
	hurry        = 500 * time.Millisecond
	// strayPause is between two attempts to end what a killed watchdog left.
	strayPause = 20 * time.Millisecond
)

// runCopy runs the program once, and returns when every process of it is gone.
func (r *Run) runCopy() end {
	out, err := openOutput(r.program.Stdout, r.program.Stderr)
	if err != nil {
		return r.refused(err)
	}
	defer out.finish(outputPatience)
	process, err := watchdog.Start(r.program.Watchdog, watchdog.Files{Stdin: r.program.Stdin, Stdout: out.stdout, Stderr: out.stderr}, r.program.spec(r.epoch))
	out.started()
	if err != nil {
		return r.refused(err)
	}
	r.attach(process)
	defer r.detach()
	return r.follow(process)
}

func (r *Run) refused(err error) end {
	return end{event: watchdog.Event{Kind: watchdog.Failed, Cause: watchdog.Refused, Reason: err.Error()}, ran: r.isUp()}
}

// attach lets the program start, and hands on what came in the meantime.
func (r *Run) attach(p *watchdog.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.process = p
	if err := notGone(p.SetDeadline(r.deadline)); err != nil {
		r.program.Log.Error("the program cannot be started", "error", err)
	}
	if r.stopping() {
		r.tellStop()
	}
}

func (r *Run) detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.process, r.pid = nil, 0
}

// follow takes in what the watchdog tells until it is gone.
func (r *Run) follow(p *watchdog.Process) end {
	log := r.program.Log.With("epoch", r.epoch)
	look := time.NewTicker(lookPause)
	defer look.Stop()
	looked, stopped := time.Now(), 0
	var started, last watchdog.Event
	for {
		select {
		case e, open := <-p.Events():
			if !open {
				return end{event: last, ran: r.isUp()}
			}
			last = e
			switch e.Kind {
			case watchdog.Waiting:
				log.Warn("the program waits for an earlier run to be gone", "reason", e.Reason)
			case watchdog.Started:
				started = e
				r.setPID(e.PID)
				log.Info("program started", "pid", e.PID, "watchdog", p.PID(), "cgroup", e.Cgroup)
			case watchdog.Killing:
				log.Warn("the program's group is killed", "cause", e.Cause, "late", e.Late)
			case watchdog.Failed:
				if e.Cause == watchdog.Stopped {
					log.Info("the program was stopped before it had started")
					continue
				}
				log.Error("program not started", "cause", e.Cause, "reason", e.Reason)
			case watchdog.Exited:
				log.Info("program ended", "cause", e.Cause, "status", e.Status.String())
			case watchdog.Lost:
				log.Error("the watchdog process is gone; ending what it left", "reason", e.Reason)
				r.endStrays(started, p.PID())
			}
		case <-look.C:
			slept := time.Since(looked) > standstill
			looked = time.Now()
			if slept {
				continue // it was this process that stood still; events are to be read first
			}
			left := r.killBy().Left()
			if !p.Stopped() {
				stopped = 0
			} else if stopped++; stopped >= stoppedLooks || left < hurry {
				log.Error("the watchdog process is stopped; continuing it", "watchdog", p.PID(), "deadline_in", left)
				_ = p.Wake() // if it is gone, its last event is on the way
				continue
			}
			if late := -left; late > overdue {
				log.Error("the watchdog process does not do its work; is it stopped? Continuing it", "watchdog", p.PID(), "late", late)
				_ = p.Wake() // if it is gone, its last event is on the way
			}
		}
	}
}

// killBy is when the group should be dead as things stand.
func (r *Run) killBy() boottime.Instant {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping() {
		return min(r.deadline, r.killAt)
	}
	return r.deadline
}

// endStrays kills what a killed watchdog left, and returns when the lock proves
// it gone. While it cannot be proved there is nothing right to do but to go on.
func (r *Run) endStrays(started watchdog.Event, watchdogPID int) {
	for first := true; ; first = false {
		if free, err := lockfile.Free(r.program.Lock); err == nil && free {
			watchdog.RemoveCgroup(started.Cgroup)
			return
		}
		watchdog.KillCgroup(started.Cgroup)
		watchdog.KillStrays(r.program.Lock, watchdogPID)
		if first && started.PID > 0 {
			// Only now: later the number could be somebody else's.
			_ = syscall.Kill(-started.PID, syscall.SIGKILL)
		}
		time.Sleep(strayPause)
	}
}
