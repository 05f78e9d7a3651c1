package core

// taken starts a holding: the take that was started at that instant is known
// applied.
func (t *turn) taken(started Instant) {
	t.startHolding(started)
	switch {
	case t.Shutdown || !t.Standing.Eligible():
		t.enter(Fenced, BecauseTaken)
		t.beginRelease(t.whyNotStanding(), "")
	case t.mayAct():
		t.promote(BecauseTaken)
	default:
		t.enter(Fenced, BecauseTakenLate)
	}
}

// holdLate starts a holding without any authority: a write that had been given
// up turns out to be the record.
func (t *turn) holdLate() {
	t.startHolding(0)
	t.enter(Fenced, BecauseTakenLate)
}

func (t *turn) startHolding(started Instant) {
	l := &t.Lead
	*l = Holding{
		Epoch: t.View.Record.Epoch, Seq: l.Seq, Since: t.now, RoundAt: t.now, RosterAt: t.now, WrittenAt: started,
		Service: l.Service, ServiceEpoch: l.ServiceEpoch, Op: l.Op, Ends: l.Ends, Retry: l.Retry,
	}
	if started != 0 {
		l.ArbiterUntil = started.Add(t.View.Record.ArbiterLease)
	}
	t.forgetAnswers()
	t.Vow.Owed = Owed{}
}

// forgetAnswers makes every acknowledgement of an earlier round count for nothing.
func (t *turn) forgetAnswers() {
	t.Lead.Rounds = [8]Round{}
	for i := range t.Peers {
		p := &t.Peers[i]
		p.Reachable, p.Answered, p.Sent, p.Identity = false, 0, 0, ""
	}
}

// renewed extends the holding from the start of the write.
func (t *turn) renewed(started Instant) {
	l := &t.Lead
	l.WrittenAt, l.ArbiterUntil = started, started.Add(t.View.Record.ArbiterLease)
	l.BeatsVoid = false
	l.RosterAt = min(l.RosterAt, t.now)
}

// promote brings the service up to date; the lease is won.
func (t *turn) promote(because Reason) {
	l := &t.Lead
	l.Promoted, l.Service, l.ServiceEpoch = false, Active, t.View.Record.Epoch
	l.Op = t.op()
	t.enter(Promoting, because)
	t.do(Action{Kind: DoPromote, Op: l.Op, Epoch: t.View.Record.Epoch})
}

// promoteAnswered takes note that the service is up to date, or gives up.
func (t *turn) promoteAnswered(ev *Event) {
	if ev.Op != t.Lead.Op || t.Phase != Promoting {
		return
	}
	t.Lead.Op = 0
	if ev.OK {
		t.Lead.Promoted = true
		return
	}
	t.beginRelease(BecausePromoteFailed, "")
}

// leadAt says when Leading begins: the service is promoted, and the epoch is on
// disk, so that this node never forgets having acted at it.
func (t *turn) leadAt() Instant {
	if t.Phase == Promoting && t.Lead.Promoted && t.epochSaved() {
		return t.now
	}
	return Never
}

// renewAt says when a holder writes to the arbiter. While all electors acknowledge,
// and before the epoch is on disk, it is never.
func (t *turn) renewAt() Instant {
	l := &t.Lead
	if t.Write.Open || !t.epochSaved() {
		return Never
	}
	switch t.Phase {
	case Promoting, Leading:
	case Fenced:
		if t.retakes() {
			return Never
		}
		if !t.mayAct() {
			return t.Write.NotBefore
		}
	default:
		return Never
	}
	var at Instant
	switch {
	case l.RenewWanted:
		at = t.now
	case t.View.Record.Open():
		at = l.WrittenAt.Add(poll(t.View.Record.ArbiterLease))
	case !t.allReachable():
		at = l.ArbiterUntil.Add(-t.View.Record.ArbiterLease / 2)
	default:
		return Never
	}
	return max(at, t.Write.NotBefore)
}

// carriedWhileOpen reports whether this holder may act on while a write is open
// that names these electors. Those who have promised nothing yet stop heartbeats
// from carrying it until they have; then what the arbiter bought has to.
func (t *turn) carriedWhileOpen(electors *Roster) bool {
	if t.promisedBy(t.c, electors, t.heartbeatLease()) >= t.beatsUntil(t.c) {
		return true
	}
	return t.now < t.Lead.ArbiterUntil.Add(-t.c.FenceMargin)
}

// renew extends the holding. A lease that is shorter than the one before binds
// from the start of the write: it may be applied, and others may count by it, long
// before that is known here.
func (t *turn) renew() {
	t.Lead.RenewWanted = false
	next := t.nextRecord()
	if !t.carriedWhileOpen(&next.Electors) {
		next.Electors = t.View.Record.Electors // the write after this one names them
	}
	t.Lead.ArbiterUntil = min(t.Lead.ArbiterUntil, t.now.Add(next.ArbiterLease))
	t.propose(Renew, next)
}
