package sim

// running is a fault under way or still waiting.
type running struct {
	waits  bool // for its moment
	active bool
	victim *node
	began  bool
	undo   func()
}

// arm schedules a fault, or lets it wait for its moment.
func (w *World) arm(i int) {
	w.queue.push(happening{at: w.plan.Faults[i].At, kind: strikes, ref: int32(i)})
}

// strike begins a fault whose time, or whose moment, has come.
func (w *World) strike(i int) {
	f, r := &w.plan.Faults[i], &w.faults[i]
	if w.judge.settled {
		return
	}
	if f.Moment != AnyTime && !r.waits && !r.began {
		switch f.Moment {
		case GuardEnds, PromiseEnds:
			r.began = true
			w.queue.push(happening{at: max(w.now, w.deadline(f)+f.After), kind: strikes, ref: int32(i)})
		default:
			r.waits = true
		}
		return
	}
	r.began, r.waits = true, false
	if r.victim == nil {
		r.victim = w.pick(f.Who)
	}
	w.say("fault %d: %s of %s for %.3fs", i, f.Kind, w.name(r.victim), float64(f.Lasts)/float64(Second))
	r.active = true
	w.noteFault()
	r.undo = w.inflict(f, r.victim)
	w.queue.push(happening{at: w.now + f.Lasts, kind: subsides, ref: int32(i)})
}

// moment lets the faults strike that wait for it.
func (w *World) moment(m Moment, n *node) {
	for i := range w.faults {
		f, r := &w.plan.Faults[i], &w.faults[i]
		if !r.waits || f.Moment != m {
			continue
		}
		r.waits, r.began = false, true
		if f.Who == TheMomentum {
			r.victim = n
		}
		w.queue.push(happening{at: w.now + f.After, kind: strikes, ref: int32(i)})
	}
}

// deadline returns when the leader's guard or a follower's promise ends.
func (w *World) deadline(f *Fault) Time {
	if f.Moment == GuardEnds {
		if n := w.pick(TheLeader); n.up {
			if e, until := n.state.Guard(&n.config); e != 0 {
				return n.clock.when(until)
			}
		}
		return w.now
	}
	if n := w.pick(AFollower); n.up && n.state.Vow.Until != 0 {
		return n.clock.when(n.state.Vow.Until)
	}
	return w.now
}

// pick returns the machine a fault is aimed at.
func (w *World) pick(who int) *node {
	if who >= 0 {
		return w.nodes[who%len(w.nodes)]
	}
	start := w.rng.IntN(len(w.nodes))
	for i := range w.nodes {
		n := w.nodes[(start+i)%len(w.nodes)]
		if n.up && n.state.Phase.Holds() == (who == TheLeader) {
			return n
		}
	}
	return w.nodes[start]
}

func (w *World) name(n *node) string {
	if n == nil {
		return "all"
	}
	return n.config.Session
}

// striking reports whether a fault of a kind is at work on a node, or at all.
func (w *World) striking(kind FaultKind, n *node) bool {
	for i := range w.faults {
		if r := &w.faults[i]; r.active && w.plan.Faults[i].Kind == kind && (n == nil || r.victim == n) {
			return true
		}
	}
	return false
}

// subside ends a fault.
func (w *World) subside(i int) {
	r := &w.faults[i]
	if !r.active {
		return
	}
	r.active = false
	if r.undo != nil {
		r.undo()
	}
	w.say("fault %d is over", i)
}

// resettle ends all faults for good, and starts whatever is down.
func (w *World) resettle() {
	for i := range w.faults {
		w.faults[i].waits = false
		w.subside(i)
	}
	w.judge.settled = true
	for _, n := range w.nodes {
		if n.pausedUntil > w.now {
			n.pausedUntil = w.now
			w.wake(n)
			n.timer = w.now
		}
		w.start(n)
	}
	w.say("all faults are over")
}
