package sim

import "github.com/electd/electd/core"

// inflict does what a fault does at its beginning, and returns what undoes it. Of
// those that are not here others ask whether they are striking.
func (w *World) inflict(f *Fault, n *node) (undo func()) {
	switch f.Kind {
	case Loss:
		return raise(&w.net.loss, f.Amount)
	case Duplicate:
		return raise(&w.net.duplicate, f.Amount)
	case Delay:
		return raise(&w.net.delay, Time(f.Amount)*w.plan.Timing.HeartbeatLease/500)
	case Partition, OneWay, Deaf:
		return w.partition(n, f.Kind)
	case Flap:
		w.partitioned(n.index)
		return raise(&w.net.flapping, 1)
	case Link:
		return w.cutLink(n, f.Amount%len(w.nodes))
	case PauseProcess:
		w.pauseProcess(n, f.Lasts)
	case PauseMachine:
		w.pauseMachine(n, f.Lasts)
	case WallStep:
		n.wallStep += Time(f.Amount-500) * 20 * Second
	case CrashProcess:
		w.killProcess(n)
		return func() { w.start(n) }
	case CrashMachine:
		w.killMachine(n)
		return func() { w.start(n) }
	case LoseDisk:
		w.loseDisk(n)
		return func() { w.start(n) }
	case Delete:
		w.erase()
	case Rollback:
		w.restore()
	case Sick, PauseNode:
		w.restand(n)
		return func() { w.restand(n) }
	case StepDown:
		w.stepDown(n)
	case HandOver:
		w.handOver(n, w.nodes[f.Amount%len(w.nodes)].config.Node)
	case Reload:
		w.reload(n, f.Amount)
	case Twin:
		w.addTwin(n)
	case Shutdown:
		w.shutDown(n)
		return func() { w.restart(n) }
	case Remove:
		return w.remove(n, w.nodes[f.Amount%len(w.nodes)].config.Node)
	case Admit:
		w.admit(n)
	case Renewal:
		w.stepIfAwake(n, core.Event{Kind: core.RenewAsked})
	}
	return nil
}

// raise adds to a figure until the fault is over.
func raise[T int | Time](figure *T, by T) (undo func()) {
	*figure += by
	return func() { *figure -= by }
}

// partition cuts a machine off from its peers, one way or both.
func (w *World) partition(n *node, kind FaultKind) (undo func()) {
	w.net.block(n.index, 1, kind)
	w.partitioned(n.index)
	return func() { w.net.block(n.index, -1, kind) }
}

func (w *World) cutLink(n *node, other int) (undo func()) {
	w.net.blockLink(n.index, other, 1)
	w.partitioned(n.index)
	return func() { w.net.blockLink(n.index, other, -1) }
}

// loseDisk lets a machine die, and come back empty where the design covers that.
func (w *World) loseDisk(n *node) {
	w.killMachine(n)
	if !w.erased() {
		n.disk = disk{identity: w.afresh(n.disk.identity)}
	}
}

// afresh returns the identity of a machine that has lost its disk.
func (w *World) afresh(identity string) string {
	if w.plan.NodeIDs {
		return identity
	}
	return identity + "'"
}

// restand tells a node how healthy it is and whether it is paused.
func (w *World) restand(n *node) {
	n.stand.Healthy, n.stand.Paused = !w.striking(Sick, n), w.striking(PauseNode, n)
	w.stepIfAwake(n, core.Event{Kind: core.StandingChanged, Standing: n.stand})
}

// restart ends a session with its service, and begins another.
func (w *World) restart(n *node) {
	w.killMachine(n)
	w.start(n)
}

func (w *World) stepDown(n *node) { w.command(n, core.Event{Kind: core.StepDownAsked}) }

func (w *World) handOver(n *node, target string) {
	if target != n.config.Node {
		w.command(n, core.Event{Kind: core.StepDownAsked, Target: target})
	}
}

func (w *World) shutDown(n *node) { w.command(n, core.Event{Kind: core.ShutdownAsked}) }

// command is an operator's.
func (w *World) command(n *node, ev core.Event) {
	ev.Op = core.OpID(1<<40 + w.draws)
	w.stepIfAwake(n, ev)
}

func (w *World) stepIfAwake(n *node, ev core.Event) {
	if n.up && n.pausedUntil <= w.now {
		w.step(n, ev)
	}
}

// remove restarts a node with a configuration that does not list a peer.
func (w *World) remove(n *node, peer string) (undo func()) {
	if w.erased() {
		return nil // the design does not cover these together
	}
	n.without = peer
	w.restart(n)
	return func() { n.without = ""; w.restart(n) }
}

// admit is an operator's way out when every elector is gone for good.
func (w *World) admit(n *node) {
	if w.electorsGone() {
		w.seen[AdmittedByForce]++
		w.stepIfAwake(n, core.Event{Kind: core.AdmitForced})
	}
}

// reload replaces a node's leases.
func (w *World) reload(n *node, amount int) {
	if w.erased() {
		return
	}
	t := &w.plan.Timing
	n.config.HeartbeatLease = duration(t.HeartbeatLease * Time(80+amount%60) / 100)
	n.config.ArbiterLease = duration(t.ArbiterLease * Time(60+amount%80) / 100)
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
