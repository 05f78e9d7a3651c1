package core

// nextRoster returns the electors that this node's next write names: itself,
// then every configured peer under the identity it is an elector by, or, if it
// is none yet, under the one it said Hello with. An elector whose machine was
// replaced gives way to the new one only after a whole lease of silence.
func (t *turn) nextRoster() Roster {
	var next Roster
	next = next.With(t.c.self())
	for i, node := range t.c.Peers {
		hello := &t.Peers[i].Hello
		identity := t.View.Record.Electors.Identity(node)
		if identity == "" && hello.Known {
			identity = hello.Identity
		}
		if hello.Known && hello.Identity != identity && t.now >= t.replaceableAt(i) {
			identity = hello.Identity
		}
		if identity != "" {
			next = next.With(Elector{node, identity})
		}
	}
	return next
}

// keptRoster returns the electors that a challenge names: none that the holder
// does not know of. The holder may live on by the promises of those it knows,
// whatever becomes of a challenge that its writer did not live to see applied.
func (t *turn) keptRoster() Roster {
	var kept Roster
	kept = kept.With(t.c.self())
	for _, node := range t.c.Peers {
		if identity := t.View.Record.Electors.Identity(node); identity != "" {
			kept = kept.With(Elector{node, identity})
		}
	}
	return kept
}

// replaceableAt says when an elector has been silent for an arbiter lease. Only
// a holder that has been listening can say so.
func (t *turn) replaceableAt(peer int) Instant {
	if t.Phase != Promoting && t.Phase != Leading {
		return Never
	}
	return max(t.Lead.Since, t.Peers[peer].Alive).Add(t.arbiterLease())
}

// awaitNewElectors lets the silence of an elector that a write has just made one
// begin now: what was last heard under its node id was another machine's.
func (t *turn) awaitNewElectors(electors *Roster) {
	for i, node := range t.c.Peers {
		if identity := electors.Identity(node); identity != t.View.Record.Electors.Identity(node) {
			t.Peers[i].Alive = t.now
		}
	}
}

// rosterAt says when a holder compares the electors with what its peers said.
func (t *turn) rosterAt() Instant {
	if t.Phase != Promoting && t.Phase != Leading || t.Write.Open {
		return Never
	}
	return t.Lead.RosterAt
}

// reviewRoster renews if the electors should change, or the leases by a reload,
// and says when to look again at a machine that waits for its predecessor's silence.
func (t *turn) reviewRoster() {
	t.Lead.RosterAt = Never
	twins := false
	for i, node := range t.c.Peers {
		hello := &t.Peers[i].Hello
		identity := t.View.Record.Electors.Identity(node)
		if identity == "" || !hello.Known || hello.Identity == identity {
			continue
		}
		twins = true
		t.tell(ToldTwinIdentity)
		if at := t.replaceableAt(i); at > t.now {
			t.Lead.RosterAt = min(t.Lead.RosterAt, at)
		}
	}
	if !twins {
		t.over(ToldTwinIdentity)
	}
	r := &t.View.Record
	if !sameElectors(t.nextRoster(), r.Electors) || r.ArbiterLease != t.c.ArbiterLease || r.HeartbeatLease != t.c.HeartbeatLease {
		t.Lead.RenewWanted = true
	}
}

func sameElectors(a, b Roster) bool {
	if a.Len != b.Len {
		return false
	}
	for i := range a.Len {
		if !b.Has(a.List[i]) {
			return false
		}
	}
	return true
}
