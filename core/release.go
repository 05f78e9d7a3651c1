package core

import "time"

// beginRelease starts to give up leadership: the guard shuts, the service
// stops, then the record is written vacant. From here on this session acts
// again only through a later write known applied.
func (t *turn) beginRelease(because Reason, successor string) {
	if t.Phase == Releasing {
		return
	}
	l := &t.Lead
	l.Ends = max(t.now, l.Ends, t.authority(t.c))
	l.Leaving, l.Successor = because, successor
	l.BeatsVoid, l.RenewWanted = true, false
	l.ReleaseBy = t.now.Add(3 * t.c.ArbiterTimeout)
	t.enter(Releasing, because)
	t.dropAuthority()
}

// releaseAt says when the vacant record is written: the service is over, no other
// write is open, and the epoch is on disk.
func (t *turn) releaseAt() Instant {
	if t.Phase != Releasing || t.Lead.Service != Passive || t.Write.Open || !t.epochSaved() {
		return Never
	}
	return t.Write.NotBefore
}

func (t *turn) release() {
	r := t.View.Record.Vacated(t.Lead.Successor)
	r.Revision = max(r.Revision, t.View.Top.Revision) + 1
	r.WrittenAt, r.ExpiresAt = t.wall, t.wall
	t.propose(Release, r)
}

// released tells the peers, which saves the next leader a read, and stands back.
func (t *turn) released() {
	because := t.Lead.Leaving
	m := t.message(Released)
	m.Epoch, m.Revision, m.Version = t.View.Record.Epoch, t.View.Record.Revision, t.View.Version
	m.Successor = t.View.Record.Successor
	for _, peer := range t.c.Peers {
		t.do(Action{Kind: DoSend, Peer: peer, Message: m})
	}
	t.do(Action{Kind: DoDemote, Epoch: m.Epoch})
	t.endHolding("")
	t.GiveWay = t.now.Add(t.giveWayFor())
	if because.failed() {
		t.standBack()
	}
	t.enter(NoLease, BecauseReleased)
}

// standBack leaves the next arbiter lease to nodes that may be able to lead.
func (t *turn) standBack() { t.StandAfter = t.now.Add(t.View.Record.ArbiterLease) }

// giveWayFor is how long whoever released leaves the record to others. Where the
// record names nobody else they may not have been told, and find it by polling.
func (t *turn) giveWayFor() time.Duration {
	r := &t.View.Record
	told := 2 * r.HeartbeatLease
	if r.Open() {
		return max(told, poll(r.ArbiterLease)+t.c.ArbiterTimeout)
	}
	return told
}

// abandonReleaseAt says when a release that could not be written is given up.
// One that may have been written never is, and a node that shuts down has
// nothing to go back to.
func (t *turn) abandonReleaseAt() Instant {
	if t.Phase != Releasing || t.Shutdown || t.Write.Open || t.Lead.Service != Passive || !t.Standing.Eligible() {
		return Never
	}
	if t.Lead.Leaving.failed() {
		return Never
	}
	return t.Lead.ReleaseBy
}

// abandonRelease goes back to holding, without authority until a write is
// applied.
func (t *turn) abandonRelease() {
	l := &t.Lead
	if l.Answer != 0 {
		t.do(Action{Kind: DoAnswer, Op: l.Answer, Reason: BecauseReleaseFailed})
	}
	l.Answer, l.Leaving, l.Successor, l.ReleaseBy = 0, "", "", 0
	t.enter(Fenced, BecauseReleaseFailed)
}

// noteRelease learns that the holder has released. With the record before it at
// hand, the vacant one is known without a read.
func (t *turn) noteRelease(m *Message) {
	v := &t.View
	at := Position{m.Epoch, m.Revision}
	if !at.After(v.Heard) {
		return
	}
	passed := t.Write.passedBy(at, v.Top)
	before := v.Record
	known := v.Found == FoundRecord && before.Epoch == m.Epoch && before.Revision+1 == m.Revision
	v.Heard, v.Version = at, m.Version
	v.noteTop()
	v.Holder, v.Session = "", ""
	v.FreeAt, v.Since = t.now, t.now
	if passed {
		t.writeNeverApplies()
	}
	t.knowThere()
	if !known {
		t.Read.Wanted, t.Read.NotBefore = true, t.now
	} else {
		v.Record = before.Vacated(m.Successor)
		v.Record.Revision = m.Revision
		t.raiseFloor(m.Epoch)
	}
	t.enter(NoLease, BecauseVacant)
}
