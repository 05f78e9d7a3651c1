package sim

import "github.com/electd/electd/core"

// service is the supervised program of one node, with its watchdog, as it
// really is, whatever the process knows.
type service struct {
	started bool
	acting  bool // it has been let loose: the node was Leading since it started
	epoch   core.Epoch
	session string
	kill    Time // when the watchdog kills it, unless that is put off
	op      core.OpID
}

// running reports whether any of its processes lives.
func (s *service) running(now Time) bool { return s.started && now < s.kill }

// acts reports whether it can write somewhere.
func (s *service) acts(now Time) bool { return s.acting && s.running(now) }

// witness is a resource that checks epochs.
type witness struct {
	epoch   core.Epoch
	session string
}

// promote starts the service and brings it up to date.
func (w *World) promote(n *node, a *core.Action) {
	w.moment(Promotes, n)
	s := &n.service
	if (s.running(w.now) || s.started && s.session == n.config.Session) && !w.judge.rolledBack {
		w.fail("I12", "%s starts its service at epoch %d and has not heard that the one of epoch %d is over", n.config.Session, a.Epoch, s.epoch)
		return
	}
	*s = service{started: true, epoch: a.Epoch, session: n.config.Session, op: a.Op, kill: w.killAt(n, n.state.Authority(&n.config))}
	ok := uint8(1)
	takes := w.within(0, w.plan.Timing.Promote)
	if w.striking(PromoteFails, n) {
		ok = 0
	}
	w.queue.push(happening{at: w.now + takes, kind: promoted, node: uint8(n.index), life: n.life, peer: ok, ref: int32(a.Op)})
}

func (w *World) promoteDone(n *node, op core.OpID, ok bool) {
	w.step(n, core.Event{Kind: core.PromoteDone, Op: op, OK: ok})
}

// killAt returns when the watchdog kills a service whose authority ends then.
func (w *World) killAt(n *node, ends core.Instant) Time {
	return n.clock.when(ends) - w.plan.Timing.Kill
}

// guard follows the authority after a step: the service acts from Leading on,
// and the watchdog is told how long it may live.
func (w *World) guard(n *node) {
	s := &n.service
	if !s.running(w.now) || s.session != n.config.Session {
		return // nothing revives what the watchdog has killed
	}
	switch n.state.Phase {
	case core.Promoting, core.Leading:
	default:
		return
	}
	s.kill = w.killAt(n, n.state.Authority(&n.config))
	if n.state.Phase == core.Leading && !s.acting {
		s.acting = true
		w.queue.push(happening{at: w.now, kind: works, node: uint8(n.index), life: n.life})
		w.unfenced(n)
	}
}

// stop is the fence: it ends the service within the time that the margin keeps
// for it, or fails and leaves it to the watchdog.
func (w *World) stop(n *node, a *core.Action) {
	w.moment(Fences, n)
	ok := uint8(1)
	if w.striking(StopFails, n) {
		ok = 0
	}
	w.queue.push(happening{
		at: w.now + w.within(0, w.plan.Timing.Stop), kind: stopped, node: uint8(n.index), life: n.life, peer: ok, ref: int32(a.Op),
	})
}

func (w *World) stopDone(n *node, op core.OpID, ok bool) {
	if ok {
		n.service = service{}
	}
	w.step(n, core.Event{Kind: core.FenceDone, Op: op, OK: ok})
}

// work is one look of the service at its guard, and a write that follows it,
// at once or after a stall that no lease can prevent.
func (w *World) work(n *node, life uint32) {
	s := &n.service
	if !s.acts(w.now) || n.life != life {
		return
	}
	next := w.now + w.within(w.plan.Timing.Interval/4, w.plan.Timing.Interval)
	if n.frozen && n.pausedUntil > w.now {
		next = n.pausedUntil
	} else if n.up {
		epoch, until := n.state.Guard(&n.config)
		if epoch != 0 && n.clock.at(w.now) < until {
			stall := w.within(0, Millisecond)
			if w.chance(20) {
				stall = w.within(0, 4*w.plan.Timing.HeartbeatLease)
			}
			w.queue.push(happening{at: w.now + stall, kind: stores, node: uint8(n.index), life: life, ref: int32(epoch)})
		}
	}
	w.queue.push(happening{at: next, kind: works, node: uint8(n.index), life: life})
}

// storeToWitness is a write that reaches the resource, which refuses what is
// older than the newest epoch it saw.
func (w *World) storeToWitness(n *node, epoch core.Epoch, life uint32) {
	x := &w.witness
	session := n.sessionOf(life)
	switch {
	case epoch < x.epoch:
		w.seen[WitnessRejection]++
		return
	case epoch == x.epoch && x.session != session && !w.judge.rolledBack:
		w.fail("I3", "the resource saw epoch %d of %s and of %s", epoch, x.session, session)
	}
	x.epoch, x.session = epoch, session
}
