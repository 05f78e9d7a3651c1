package sim

import "github.com/electd/electd/core"

// recoverBound is how long after the last fault somebody must lead (L1): a
// lease, the start-up wait and three timeouts of the arbiter. A third of a lease
// more for the longest pause that faults leave behind; the lease may be one that a
// reload made longer; and after a rollback it is waited for once more.
func (p *Plan) recoverBound() Time {
	t := &p.Timing
	bound := 14*t.ArbiterLease/10 + 2*t.HeartbeatLease + 3*t.ArbiterTimeout + t.ArbiterLease/3 + t.Promote + 2*t.Interval
	if p.has(Rollback) {
		bound += 2 * t.ArbiterLease
	}
	return bound
}

// replacing is how long electors may still change after somebody leads: one whose
// disk was lost is admitted anew when its old self has been silent for a lease.
func (p *Plan) replacing() Time {
	if p.has(LoseDisk) || p.has(Twin) {
		return 2 * p.Timing.ArbiterLease
	}
	return 0
}

// quiet is how long a group that has recovered is watched: it must neither change
// its leader nor ask the store anything.
func (p *Plan) quiet() Time { return p.Timing.ArbiterLease }

func (p *Plan) has(kind FaultKind) bool {
	for i := range p.Faults {
		if p.Faults[i].Kind == kind {
			return true
		}
	}
	return false
}

// calm begins the part of a run in which nothing should happen.
func (w *World) calm() {
	j := &w.judge
	j.requestsBefore, j.leaderBefore = j.requests, j.leader
}

// judgeEnd judges what must hold at the end of a run.
func (w *World) judgeEnd() {
	j := &w.judge
	switch w.plan.Mode {
	case Recover:
		w.judgeQuiet()
		w.judgeFloors()
	case Deafness:
		w.judgeLeads()
	case Ailing:
		w.judgeLeads()
		w.judgeHealth()
	case Orphans:
		if !w.anyLeads() {
			w.fail("L1", "nobody leads, though a machine was admitted by force")
		}
	case Burst:
		w.judgeLeads()
		if rises := j.failovers - j.failoversBefore; rises > 1 {
			w.fail("L3", "one fault made %d new leaders", rises)
		}
	}
}

// judgeLeads judges that somebody leads, if anybody may (L1).
func (w *World) judgeLeads() {
	if !w.anyLeads() && w.anyMayStand() {
		w.fail("L1", "nobody leads")
	}
}

// judgeHealth judges that no leader is ill (L1).
func (w *World) judgeHealth() {
	for _, n := range w.nodes {
		if n.up && n.state.Phase == core.Leading && !n.stand.Healthy {
			w.fail("L1", "%s leads, and is not healthy", n.config.Session)
		}
	}
}

// judgeQuiet judges that a healthy group has kept its leader and asked the store
// nothing since it calmed down.
func (w *World) judgeQuiet() {
	j := &w.judge
	if !w.allElectors() || j.rolledBack {
		return
	}
	if asked := j.requests - j.requestsBefore; asked > 0 {
		w.fail("quiet", "a healthy group asked the store %d times within a lease", asked)
	}
	if j.leader != j.leaderBefore {
		w.fail("quiet", "a healthy group changed its leader from %s to %s", j.leaderBefore, j.leader)
	}
}

// judgeFloors judges that whoever leads does so above every elector's floor, also
// after a rollback (I7).
func (w *World) judgeFloors() {
	for _, leader := range w.nodes {
		if !leader.up || leader.state.Phase != core.Leading {
			continue
		}
		r := &leader.state.View.Record
		for _, n := range w.nodes {
			if n.up && r.Electors.Has(n.elector()) && n.state.Floor.Epoch > r.Epoch {
				w.fail("I7", "%s leads at epoch %d, below the floor %d of %s", leader.config.Session, r.Epoch, n.state.Floor.Epoch, n.config.Session)
			}
		}
	}
}

// noteFault remembers how things stood when the only fault of a run began.
func (w *World) noteFault() {
	switch w.plan.Mode {
	case Burst:
		w.judge.failoversBefore = w.judge.failovers
	case Outage, Severed:
		if w.now < w.plan.Calms {
			return // it belongs to what went before
		}
		w.judgeLeads()
		w.judgeQuiet()
		w.judge.loss = true
	}
}

// judgeLoss judges that a healthy group's leader stays while the store is down
// (L2), and while its peers are out of reach (L4).
func (w *World) judgeLoss(n *node, a *core.Action) {
	switch {
	case !w.judge.loss || a.From != core.Leading:
	case w.plan.Mode == Outage:
		w.fail("L2", "%s lost its leadership with the store: %s", n.config.Session, a.Reason)
	default:
		w.fail("L4", "%s lost its leadership, though the store is well: %s", n.config.Session, a.Reason)
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

// anyMayStand reports whether a running node may take at all. A group whose
// electors have all lost their disks needs an operator.
func (w *World) anyMayStand() bool {
	for _, n := range w.nodes {
		if n.up && w.mayStand(n) {
			return true
		}
	}
	return false
}

// mayStand reports whether a node is an elector, or there are none. Of a record that
// is gone it knows what it read of it last; who knows of none leaves creating it
// to those who do (decision 0102).
func (w *World) mayStand(n *node) bool {
	r := &w.store.record
	if !w.store.present {
		r = &n.state.View.Record
	}
	ignorant := !w.store.present && !n.state.Floor.Known
	return n.state.Admitted || r.Electors.Has(n.elector()) || r.Open() && !(ignorant && w.anyRemembers())
}

// anyRemembers reports whether a running node knows that there was a record.
func (w *World) anyRemembers() bool {
	for _, n := range w.nodes {
		if n.up && n.state.Floor.Known {
			return true
		}
	}
	return false
}

// electorsGone reports whether the record names electors of whom none will ever
// come back: their disks are lost.
func (w *World) electorsGone() bool {
	r := &w.store.record
	if !w.store.present || r.Open() {
		return false
	}
	for _, n := range w.nodes {
		if r.Electors.Has(core.Elector{Node: n.config.Node, Identity: n.disk.identity}) {
			return false
		}
	}
	return true
}

// allElectors reports whether there are several nodes and each is an elector:
// strangers read the record, and a lone leader renews it.
func (w *World) allElectors() bool {
	for _, n := range w.nodes {
		if !n.up || !w.store.record.Electors.Has(n.elector()) {
			return false
		}
	}
	return len(w.nodes) > 1
}

func (n *node) elector() core.Elector {
	return core.Elector{Node: n.config.Node, Identity: n.config.Identity}
}
