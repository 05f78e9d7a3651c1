package sim

// mayErase says whether a deletion is one that the design covers: a first one, of
// a store that gives dates or under nodes that all know how far it came, when some
// running node knows of the record and no elector has been replaced by a twin that
// lives beside it.
func (w *World) mayErase() bool {
	if w.store.deletes > 0 || !w.plan.Store.Dates && !w.allRemember() || !w.leasesAgree() {
		return false
	}
	knows := false
	for _, n := range w.nodes {
		e := n.elector()
		if n.twin && w.store.record.Electors.Has(e) || n.without != "" {
			return false
		}
		knows = knows || n.up && !n.twinned && n.disk.known
	}
	return knows
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
