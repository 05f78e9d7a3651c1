package core

import "time"

// takeAt says when this node may start a take (design 3.5). It is asked again
// at every step, so the answer holds when the write starts, not when the read
// before it did.
func (t *turn) takeAt() Instant {
	if t.Phase != NoLease && t.Phase != Following || t.Write.Open {
		return Never
	}
	at := t.freeForTake()
	if at <= t.now && t.preparesTake() {
		return Never
	}
	return at
}

// preparesTake reports whether what a take needs is under way: the whole record that
// it replaces, or, where there is none, its epoch on the way to the disk.
func (t *turn) preparesTake() bool {
	if t.View.Found == FoundAbsent {
		return t.View.Anew > t.Floor.Saved
	}
	return !t.copyCurrent() && (t.Read.Op != 0 || t.Read.Wanted)
}

// freeForTake returns the instant at which a take may start, whether or not one
// is under way.
func (t *turn) freeForTake() Instant {
	if !t.Standing.Eligible() || t.Shutdown || t.Lead.Service != Passive {
		return Never
	}
	v := &t.View
	var at Instant
	switch {
	case v.Found == FoundAbsent && v.AbsentSince != 0:
		at = t.freeIfAbsent()
	case v.Found != FoundRecord:
		return Never
	case !t.copyCurrent():
		at = t.freeIfHeld()
	case t.stranger():
		return Never
	case v.Record.State == Vacant:
		at = t.freeIfVacant()
	case t.reclaims():
		at = t.now
	case v.Session == t.c.Session:
		return Never
	default:
		at = t.freeIfHeld()
	}
	return max(at, t.StandAfter, t.GiveWay, t.Write.NotBefore)
}

// copyCurrent reports whether the whole record of the newest known position is
// at hand. Heartbeats bring newer positions without the record.
func (t *turn) copyCurrent() bool {
	return t.View.Found == FoundAbsent || t.View.Record.Position() == t.View.Heard
}

// stranger reports whether the record names electors, and not this node.
func (t *turn) stranger() bool {
	return t.View.Found == FoundRecord && t.copyCurrent() && t.unnamed() && !t.Admitted
}

// unnamed reports whether the record at hand, which may be the last one before it
// vanished, names electors, and not this node.
func (t *turn) unnamed() bool {
	r := &t.View.Record
	return !r.Open() && !r.Electors.Has(t.c.self())
}

// reclaims: the holder is the session recorded just before this one, proven
// dead, and this session has promised nothing to anybody.
func (t *turn) reclaims() bool {
	return t.c.Previous != "" && t.View.Session == t.c.Previous && !t.Vow.Made
}

// freeIfHeld: after the holder's arbiter authority and after one's own promise.
func (t *turn) freeIfHeld() Instant {
	return max(t.View.FreeAt, t.Vow.Until).Add(t.holdBack())
}

// freeIfVacant: at once, and promises are void, since whoever released had
// outlived every earlier holder, and cannot forget that it did (decision 0116). A
// named successor has the first turn.
func (t *turn) freeIfVacant() Instant {
	r := &t.View.Record
	if r.Successor != "" && r.Successor != t.c.Node {
		return t.View.Since.Add(r.HeartbeatLease + t.holdBack())
	}
	return t.View.Since.Add(t.holdBack())
}

// freeIfAbsent: at once in a new cluster, where nobody ever saw a record; else
// after a whole lease, for a holder that may live on without its record. A node
// that never saw a record was never asked for a promise, so it cannot know that
// no promises carry such a holder: it waits for those who can.
func (t *turn) freeIfAbsent() Instant {
	since := t.View.AbsentSince
	if t.newCluster() {
		return since.Add(t.holdBack())
	}
	if !t.Admitted && (t.unnamed() || !t.Floor.Known && t.anyPeerMayKnow()) {
		return Never
	}
	at := max(since.Add(t.longestLease()), t.Vow.Until)
	if t.View.FreeAt != Never {
		at = max(at, t.View.FreeAt) // the holder's lease may be one that was never read
	}
	return at.Add(t.holdBack())
}

// holdBack lets candidates of higher rank go first: a step for each of them
// that is at hand, and some jitter where views may differ.
func (t *turn) holdBack() time.Duration {
	if t.View.Record.State == Vacant && t.View.Record.Successor == t.c.Node {
		return 0
	}
	ahead := 0
	for i, node := range t.c.Peers {
		p := &t.Peers[i]
		if !p.Connected || !p.Hello.Eligible || node == t.View.Record.writer() {
			continue
		}
		if !t.View.Record.Open() && !t.View.Record.Electors.Has(Elector{node, p.Hello.Identity}) {
			continue
		}
		if p.Hello.Priority > t.Standing.Priority || p.Hello.Priority == t.Standing.Priority && node < t.c.Node {
			ahead++
		}
	}
	if ahead == 0 {
		return 0
	}
	step := t.c.stagger()
	return time.Duration(ahead)*step + time.Duration(t.Jitter%uint64(max(1, step/2)))
}

// take starts a holding, or first fetches the record it would replace. One that was
// deleted is created anew when its epoch is on disk: it may name electors who have
// promised nothing to a leader that lives on, and this node, if it forgot having
// created it, could carry that one by its own promises (decision 0116).
func (t *turn) take() {
	if !t.copyCurrent() {
		t.Read.Wanted, t.Read.NotBefore = true, max(t.Read.NotBefore, t.now)
		return
	}
	if t.View.Found == FoundAbsent && t.Floor.Known && t.View.Anew == 0 {
		t.View.Anew = t.proposedTake().Epoch
		return
	}
	because := t.takeBecause()
	t.propose(Take, t.proposedTake())
	t.enter(Taking, because)
}

func (t *turn) takeBecause() Reason {
	switch {
	case t.View.Found == FoundAbsent && t.newCluster():
		return BecauseNewCluster
	case t.View.Found == FoundAbsent:
		return BecauseAbsent
	case t.View.Record.State == Vacant:
		return BecauseVacant
	case t.reclaims():
		return BecauseReclaim
	}
	return BecauseHolderSilent
}

// proposedTake is the record that makes this session the holder, one epoch
// above everything known.
func (t *turn) proposedTake() Record {
	r := t.nextRecord()
	if t.View.Record.State == Held && !t.View.Record.Open() {
		r.Electors = t.keptRoster()
	}
	r.Epoch = max(t.View.Record.Epoch, t.View.Top.Epoch, t.Floor.Epoch, t.peersFloor()) + 1
	if t.View.Found == FoundAbsent && !t.newCluster() {
		// Nobody knows how far the deleted record had come. The store's date is
		// above anything that counting by one can have reached.
		r.Epoch = max(r.Epoch, Epoch(max(0, t.View.StoreDate)))
	}
	r.AcquiredAt = t.wall
	return r
}

// peersFloor returns the highest epoch that a peer said it had observed.
func (t *turn) peersFloor() Epoch {
	var e Epoch
	for i := range t.c.Peers {
		e = max(e, t.Peers[i].Hello.Floor)
	}
	return e
}

// nextRecord is the present record with this session as holder and everything
// that a write brings up to date. The epoch is left as it is.
func (t *turn) nextRecord() Record {
	r := t.View.Record
	r.Format, r.Election = Format, t.c.Election
	r.Revision = max(r.Revision, t.View.Top.Revision) + 1
	r.Holder, r.Session, r.State, r.Successor = t.c.Node, t.c.Session, Held, ""
	r.Electors = t.nextRoster()
	r.ArbiterLease, r.HeartbeatLease = t.c.ArbiterLease, t.c.HeartbeatLease
	r.Addresses = t.c.Addresses
	r.WrittenAt, r.ExpiresAt = t.wall, t.wall+r.ArbiterLease.Milliseconds()
	return r
}
