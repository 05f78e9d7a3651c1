package sim

import "github.com/electd/electd/core"

// recoverBound is how long after the last fault somebody must lead (L1): a
// lease, the start-up wait and three timeouts of the arbiter, and what the
// fault's own pauses may leave behind.
func (p *Plan) recoverBound() Time {
	t := &p.Timing
	return 14*t.ArbiterLease/10 + 2*t.HeartbeatLease + 3*t.ArbiterTimeout + t.ArbiterLease/6 + t.Promote + 2*t.Interval
}

// judgeEnd judges what must hold at the end of a run.
func (w *World) judgeEnd() {
	j := &w.judge
	switch w.plan.Mode {
	case Recover:
		w.judgeRecovery()
	case Burst:
		w.judgeRecovery()
		if rises := j.failovers - j.before; rises > 1 {
			w.fail("L3", "one fault made %d new leaders", rises)
		}
	}
}

func (w *World) judgeRecovery() {
	if !w.anyLeads() && w.anyMayStand() {
		w.fail("L1", "nobody leads")
	}
}

// noteFault remembers how things stood when the only fault of a run began.
func (w *World) noteFault() {
	j := &w.judge
	switch w.plan.Mode {
	case Burst:
		j.before = j.failovers
	case Outage:
		if !w.anyLeads() {
			w.fail("L1", "nobody leads a group without faults")
		}
		if quiet := j.requests - j.settledRequests; quiet > 0 {
			w.fail("requests", "a healthy group asked the store %d times within a lease", quiet)
		}
		j.outage = true
	}
}

// judgeOutage judges that a healthy group's leader stays while the store is
// down, and asks nothing of it.
func (w *World) judgeOutage(n *node, a *core.Action) {
	if w.judge.outage && a.From == core.Leading {
		w.fail("L2", "%s lost its leadership with the store: %s", n.config.Session, a.Reason)
	}
}

func (w *World) anyLeads() bool {
	for _, n := range w.nodes {
		if epoch, until := n.state.Guard(&n.config); n.up && epoch != 0 && n.clock.at(w.now) < until {
			return true
		}
	}
	return false
}

// anyMayStand reports whether a running node is an elector, or there are none. A
// group whose electors have all lost their disks needs an operator.
func (w *World) anyMayStand() bool {
	r := &w.store.record
	for _, n := range w.nodes {
		e := core.Elector{Node: n.config.Node, Identity: n.config.Identity}
		if n.up && (!w.store.present || r.Open() || r.Electors.Has(e)) {
			return true
		}
	}
	return false
}
