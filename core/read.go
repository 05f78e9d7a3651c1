package core

// readAt says when the next read starts: at once when something waits for it,
// else early enough before a challenge, else by polling. A follower that
// heartbeats reach does not read.
func (t *turn) readAt() Instant {
	r := &t.Read
	if r.Op != 0 || t.Write.Op != 0 {
		return Never
	}
	switch {
	case r.Wanted:
		return r.NotBefore
	case t.View.Found == 0:
		return max(r.NotBefore, t.Started)
	case t.Write.Open:
		return max(r.NotBefore, r.Last.Add(poll(t.arbiterLease())))
	}
	switch t.Phase {
	case NoLease:
		return max(r.NotBefore, r.Last.Add(poll(t.arbiterLease())))
	case Following:
		if contact := t.Vow.Contact; contact > r.Last {
			// The holder is silent for half its lease: have the record, and a
			// connection to the arbiter, at hand when the promise ends.
			return max(r.NotBefore, contact.Add(t.c.HeartbeatLease/2))
		}
		return max(r.NotBefore, r.Last.Add(poll(t.arbiterLease())))
	case Fenced, Releasing:
		return max(r.NotBefore, r.Last.Add(poll(t.arbiterLease())))
	}
	return Never
}

// pollIsDue reports whether the last read is as long ago as polling would have it.
func (t *turn) pollIsDue() bool { return t.now >= t.Read.Last.Add(poll(t.arbiterLease())) }

func (t *turn) read() {
	t.Read.Op = t.op()
	t.Read.Wanted = false
	t.Read.Last = t.now
	t.do(Action{Kind: DoRead, Op: t.Read.Op, Timeout: t.c.ArbiterTimeout})
}

// discardRead forgets a read in flight. What it shows may be older than the
// write that has just started or ended, so it can resolve nothing.
func (t *turn) discardRead() {
	if t.Read.Op != 0 {
		t.Read.Op = 0
		t.Read.Wanted = true
	}
}

// readAnswered learns from a read.
func (t *turn) readAnswered(ev *Event) {
	if ev.Op != t.Read.Op {
		return
	}
	t.Read.Op = 0
	if ev.Outcome != Applied {
		t.readFailed(ev.Outcome)
		return
	}
	t.Read.NotBefore = 0
	switch ev.Found {
	case FoundAbsent:
		t.seeAbsence(ev)
	case FoundRecord:
		t.seeRecord(ev)
	case FoundCorrupt:
		t.seeUnreadable(ev.Found, ToldRecordCorrupt)
	case FoundNewer:
		t.seeUnreadable(ev.Found, ToldFormatNewer)
	}
}

// readFailed tries again after a pause; slowly where trying again cannot help.
func (t *turn) readFailed(o Outcome) {
	t.arbiterFailed(o)
	t.Read.Wanted, t.Read.NotBefore = true, t.now.Add(t.pause(o))
}

// seeUnreadable leaves a record that it cannot read alone: it is never vacant,
// and never overwritten.
func (t *turn) seeUnreadable(f Found, why Reason) {
	t.View.Found, t.View.AbsentSince = f, 0 // something is there
	t.tell(why)
	if t.Write.Open {
		t.Write.NotBefore = t.now.Add(t.pause(Corrupt))
		t.Read.Wanted, t.Read.NotBefore = true, t.Write.NotBefore
	}
}

// seeAbsence handles a read that finds no record. It may be a stale one, from before
// there was a record. Who stands on one believes it only after a whole lease of such
// reads, and is until then like a node that has not looked (decision 0113).
func (t *turn) seeAbsence(ev *Event) {
	v := &t.View
	if t.Read.Last < v.Since {
		t.Read.Wanted = true // it may have looked before the record was there that is known by now
		return
	}
	v.StoreDate = ev.StoreDate
	if v.AbsentSince == 0 {
		v.AbsentSince, v.Question, v.Anew = t.now, uint64(ev.Op), 0 // never asked before
	}
	if v.Heard != (Position{}) || t.Floor.Known {
		t.tell(ToldRecordGone)
	}
	if believed := v.AbsentSince.Add(t.longestLease()); t.standsOnRecord() && t.now < believed {
		t.lookAgain(believed)
		return
	}
	v.Found, t.Read.Failures = FoundAbsent, 0
	switch {
	case t.Write.creates():
		t.retrySoon() // it may land yet
		t.askPeers()
		return
	case t.Write.Open:
		t.writeNeverApplies()
	}
	switch {
	case t.Phase.Holds():
		t.lose(BecauseRecordGone)
	case t.Phase == Following:
		t.enter(NoLease, BecauseAbsent)
	}
	t.askPeers()
}

// standsOnRecord reports whether this node holds a record, or has a write open that
// replaces one.
func (t *turn) standsOnRecord() bool {
	return t.Phase.Holds() || t.Write.Open && t.Write.Expected != ""
}

// lookAgain reads again after a pause that grows, but not later than what was read
// is believed. Only time tells a stale read from the truth.
func (t *turn) lookAgain(believed Instant) {
	t.Read.Failures++
	t.Read.Wanted, t.Read.NotBefore = true, min(believed, t.now.Add(t.c.backoff(t.Read.Failures)))
}

// seeRecord handles a read that finds a record.
func (t *turn) seeRecord(ev *Event) {
	v := &t.View
	r := ev.Record
	at := r.Position()
	v.AbsentSince = 0
	if v.Found == FoundAbsent || v.Found == 0 {
		v.Found = FoundRecord
	}
	vanished := t.vanished(r)
	if r.Open() || r.Electors.Has(t.c.self()) {
		t.createFloor(r.Epoch)
	}
	if v.Heard.After(at) || at != v.Heard && r.Epoch < t.Floor.Epoch || vanished {
		t.seeOlder(ev)
		return
	}
	v.Found, v.OlderSince = FoundRecord, 0
	t.Read.Failures = 0
	t.over(ToldRecordGone, ToldRecordCorrupt, ToldFormatNewer)
	t.adopt(ev)
	if t.Write.Open {
		t.resolveBy(r, ev.Version)
	}
	t.settle()
}

// vanished reports whether r is from before this node found that there was no record
// any more, and set out to create it anew. What it then writes may land yet.
func (t *turn) vanished(r *Record) bool {
	return t.Write.creates() && (!r.Position().After(t.View.Record.Position()) || r.Epoch <= t.Floor.Epoch)
}

// adopt makes the record that was read the newest known, and bounds the
// holder's arbiter authority by it: a lease from the answer, less the age that
// the store's own clock gives it.
func (t *turn) adopt(ev *Event) {
	v := &t.View
	r := ev.Record
	if r.Session != t.c.Session {
		t.shut(BecauseDeposed) // while the record that the authority rests on is at hand
	}
	at := r.Position()
	free := t.now.Add(r.ArbiterLease - ev.Age)
	torn := at == v.Heard && v.Version != ev.Version
	if torn && v.Session != r.Session {
		t.tell(ToldTwinSession)
	}
	switch {
	case at.After(v.Heard):
		t.seeEpoch(r.Epoch)
		v.FreeAt, v.Since = free, t.now
	case torn:
		v.FreeAt = free
	default:
		v.FreeAt = min(v.FreeAt, free)
	}
	v.Heard, v.Version = at, ev.Version
	t.know(r)
	v.noteTop()
	t.noteHolder(r.Holder, r.Session)
	// What a predecessor of this session may have promised is kept as well.
	t.Vow.Until = max(t.Vow.Until, t.Started.Add(r.HeartbeatLease))
}

// seeEpoch: what was wrong with an epoch is over when a higher one begins.
func (t *turn) seeEpoch(e Epoch) {
	if e > t.View.Heard.Epoch {
		t.over(ToldTwinSession, ToldRolledBack)
	}
}

// know takes r for the newest record known whole.
func (t *turn) know(r *Record) {
	if r.Electors.Has(t.c.self()) || t.View.Record.Epoch != 0 && !r.Electors.within(&t.View.Record.Electors) {
		t.Admitted = false // there are other electors than those who were gone
	}
	if r.Session == t.c.Session {
		t.awaitNewElectors(&r.Electors)
	}
	t.View.Record = *r
}

// settle brings the phase into line with a record that was just read.
func (t *turn) settle() {
	v := &t.View
	mine := v.Session == t.c.Session
	switch {
	case t.Phase.Holds() && !mine:
		t.lose(BecauseDeposed)
	case t.Phase.Holds():
	case t.Write.Open:
	case v.Record.State == Vacant:
		t.enter(NoLease, BecauseVacant)
	case mine:
		// A write of this session that was given up has landed after all: hold
		// the record without authority, so that it is renewed or released.
		t.holdLate()
	case t.Phase == Following || t.Phase == NoLease:
		t.follow(BecauseHeardLeader)
	}
	if t.stranger() {
		t.tell(ToldStranger)
	} else {
		t.over(ToldStranger)
	}
	if !t.Write.Open {
		t.over(ToldDenied, ToldInvalid)
	}
}

// noteHolder takes note of who holds, and tells the service of a change.
func (t *turn) noteHolder(node, session string) {
	changed := t.View.Session != session
	t.View.Holder, t.View.Session = node, session
	if changed && session != "" && session != t.c.Session {
		t.GiveWay = 0 // somebody took when it was offered
	}
	if changed && session != "" && t.Phase == Following {
		t.serveFollowing()
	}
}

// follow enters Following and says whom.
func (t *turn) follow(because Reason) {
	if t.Phase == Following {
		return
	}
	t.enter(Following, because)
	t.serveFollowing()
}

// serveFollowing tells the service whom to follow: never this node itself, whose
// session before this one may still be the holder.
func (t *turn) serveFollowing() {
	if t.View.Holder == t.c.Node {
		return
	}
	t.do(Action{Kind: DoFollow, Epoch: t.View.Heard.Epoch, Peer: t.View.Holder})
}

// seeOlder handles a read that shows less than is known: a stale read, or a
// record that was rolled back. Only time tells them apart.
func (t *turn) seeOlder(ev *Event) {
	v := &t.View
	if v.OlderSince == 0 {
		v.OlderSince = t.now
	}
	if believed := v.OlderSince.Add(t.longestLease()); t.now < believed {
		t.lookAgain(believed)
		return
	}
	t.tell(ToldRolledBack)
	v.OlderSince, t.Read.Failures = 0, 0
	v.Heard = Position{}
	if t.Write.Open {
		t.writeNeverApplies()
	}
	t.adopt(ev)
	t.settle()
}
