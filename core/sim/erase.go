package sim

import "github.com/electd/electd/core"

// mayErase says whether a deletion is one that the design covers: a first one, of
// a store that gives dates or under nodes that all know how far it came, when some
// running node knows of the record and no twin is, or ever was, an elector in place
// of the machine that it lives beside.
func (w *World) mayErase() bool {
	if w.store.deletes > 0 || !w.plan.Store.Dates && !w.allRemember() || !w.leasesAgree() {
		return false
	}
	for _, n := range w.nodes {
		if n.up && n.state.View.AbsentSince != 0 {
			return false // a stale read said so before, and its wait would count (decision 0113)
		}
	}
	if w.createUnderWay() {
		return false
	}
	knows := false
	for _, n := range w.nodes {
		elector := n.disk.known || w.store.record.Electors.Has(n.elector())
		if n.twin && elector || n.without != "" {
			return false
		}
		knows = knows || n.up && !n.twinned && n.disk.known
	}
	return knows
}

// createUnderWay reports whether a first record may land yet beside the one that is
// there: to it, what is deleted later looks like what it was sent for (decision 0113).
func (w *World) createUnderWay() bool {
	for i := range w.requests.all {
		if r := &w.requests.all[i]; r.write && r.arrives && r.expected == "" {
			return true
		}
	}
	return false
}

// allRemember reports whether every node has the highest epoch on its disk, or has
// promised something at that epoch: what it has promised it must not forget.
func (w *World) allRemember() bool {
	for _, n := range w.nodes {
		if max(n.disk.floor, n.disk.vowed) < w.judge.highest {
			return false
		}
	}
	return true
}

// leasesAgree reports whether all nodes are configured with the record's lease.
func (w *World) leasesAgree() bool {
	for _, n := range w.nodes {
		if n.config.ArbiterLease != w.store.record.ArbiterLease {
			return false
		}
	}
	return true
}

// erased reports whether the record is gone. Meanwhile no disk is lost, no lease
// reloaded and no twin started: the design does not cover these together.
func (w *World) erased() bool { return !w.store.present && w.store.deletes > 0 }

// judgeBlindness notes, when a take starts, whether it is one that the design does
// not cover: a deleted record is created anew by a brand-new node that is cut off
// from everybody (3.8). It cannot know that there was a record (decision 0102).
// What is only tried again was decided before.
func (w *World) judgeBlindness(n *node, r *request) {
	if n.state.Write.Tries <= 1 {
		n.blind = r.intent == core.Take && r.expected == "" && w.store.deletes > 0 &&
			!n.disk.known && !n.told && !connected(&n.state) && w.othersRun(n)
	}
	r.blind = n.blind
}

// connected reports whether anybody is at hand who may tell yet.
func connected(s *core.State) bool {
	for i := range s.Peers {
		if s.Peers[i].Connected {
			return true
		}
	}
	return false
}

// othersRun reports whether there is anybody to be cut off from.
func (w *World) othersRun(n *node) bool {
	for _, o := range w.nodes {
		if o != n && (o.up || o.service.running(w.now)) {
			return true
		}
	}
	return false
}

// leaveOut ends a run in which such a take was applied, whatever comes of it.
func (w *World) leaveOut(r *request) {
	w.leftOut = true
	w.say("left out: epoch %d was created by %s, which is brand-new and cut off from everybody", r.record.Epoch, w.nodes[r.node].sessionOf(r.life))
}
