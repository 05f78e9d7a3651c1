package sim

import (
	"github.com/electd/electd/core"
)

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
	w.inflict(f, r)
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

// inflict does what a fault does at its beginning, and notes how it is undone.
func (w *World) inflict(f *Fault, r *running) {
	n := r.victim
	r.undo = nil
	switch f.Kind {
	case Loss:
		w.net.loss += f.Amount
		r.undo = func() { w.net.loss -= f.Amount }
	case Duplicate:
		w.net.duplicate += f.Amount
		r.undo = func() { w.net.duplicate -= f.Amount }
	case Delay:
		extra := Time(f.Amount) * w.plan.Timing.HeartbeatLease / 500
		w.net.delay += extra
		r.undo = func() { w.net.delay -= extra }
	case Partition, OneWay, Deaf:
		w.net.block(n.index, 1, f.Kind)
		w.partitioned(n.index)
		r.undo = func() { w.net.block(n.index, -1, f.Kind) }
	case Link:
		other := f.Amount % len(w.nodes)
		w.net.blockLink(n.index, other, 1)
		w.partitioned(n.index)
		r.undo = func() { w.net.blockLink(n.index, other, -1) }
	case PauseProcess, PauseMachine:
		w.pause(n, f.Lasts, f.Kind == PauseMachine)
	case CrashProcess, CrashMachine, LoseDisk:
		w.die(n, f.Kind != CrashProcess)
		if f.Kind == LoseDisk && !w.erased() {
			n.disk = disk{identity: w.afresh(n.disk.identity)}
		}
		r.undo = func() { w.start(n) }
	case Delete:
		w.erase()
	case Rollback:
		w.restore()
	case Sick, PauseNode:
		w.restand(n)
		r.undo = func() { w.restand(n) }
	case StepDown, HandOver:
		w.command(n, f)
	case Reload:
		w.reload(n, f)
	case Twin:
		w.addTwin(n)
	case Shutdown:
		w.command(n, f)
		r.undo = func() { w.restart(n) }
	case Remove:
		if w.erased() {
			return // the design does not cover these together
		}
		n.without = w.nodes[f.Amount%len(w.nodes)].config.Node
		w.restart(n)
		r.undo = func() { n.without = ""; w.restart(n) }
	case Admit:
		if w.electorsGone() {
			w.seen[AdmittedByForce]++
			w.stepIfAwake(n, core.Event{Kind: core.AdmitForced})
		}
	case Renewal:
		w.stepIfAwake(n, core.Event{Kind: core.RenewAsked})
	}
}

// afresh returns the identity of a machine that has lost its disk.
func (w *World) afresh(identity string) string {
	if w.plan.NodeIDs {
		return identity
	}
	return identity + "'"
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

// restand tells a node how healthy it is and whether it is paused.
func (w *World) restand(n *node) {
	n.stand.Healthy, n.stand.Paused = !w.striking(Sick, n), w.striking(PauseNode, n)
	w.stepIfAwake(n, core.Event{Kind: core.StandingChanged, Standing: n.stand})
}

// restart ends a session with its service, and begins another.
func (w *World) restart(n *node) {
	w.die(n, true)
	w.start(n)
}

func (w *World) stepIfAwake(n *node, ev core.Event) {
	if n.up && n.pausedUntil <= w.now {
		w.step(n, ev)
	}
}

// command is an operator's.
func (w *World) command(n *node, f *Fault) {
	ev := core.Event{Kind: core.StepDownAsked, Op: core.OpID(1<<40 + w.draws)}
	switch f.Kind {
	case HandOver:
		ev.Target = w.nodes[f.Amount%len(w.nodes)].config.Node
		if ev.Target == n.config.Node {
			return
		}
	case Shutdown:
		ev.Kind = core.ShutdownAsked
	}
	w.stepIfAwake(n, ev)
}

// reload replaces a node's leases.
func (w *World) reload(n *node, f *Fault) {
	if w.erased() {
		return
	}
	t := &w.plan.Timing
	n.config.HeartbeatLease = duration(t.HeartbeatLease * Time(80+f.Amount%60) / 100)
	n.config.ArbiterLease = duration(t.ArbiterLease * Time(60+f.Amount%80) / 100)
	w.stepIfAwake(n, core.Event{Kind: core.Reloaded})
}

// addTwin starts another machine that bears a node's id.
func (w *World) addTwin(n *node) {
	if w.erased() || w.twins > 0 || w.plan.NodeIDs {
		return // two of them would be a cloned disk
	}
	w.twins++
	p := w.plan.Nodes[n.index]
	p.Machine += "twin"
	w.plan.Nodes = append(append([]NodePlan(nil), w.plan.Nodes...), p)
	i := len(w.nodes)
	w.net.grow(i + 1)
	twin := w.newNode(i)
	twin.twin, twin.twinned, n.twinned = true, true, true
	w.nodes = append(w.nodes, twin)
	w.start(twin)
}
