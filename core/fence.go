package core

// fenceAt says when the guard shuts by the clock: a margin before the authority
// ends.
func (t *turn) fenceAt() Instant {
	if t.Phase != Promoting && t.Phase != Leading {
		return Never
	}
	return t.authority(t.c).Add(-t.c.FenceMargin)
}

// fence shuts the guard, gives up all authority and stops the service, which
// must be over when the authority given up would have ended.
func (t *turn) fence(because Reason) {
	t.Lead.Ends = max(t.now, t.authority(t.c))
	t.enter(Fenced, because)
	t.dropAuthority()
}

// shut fences if there is anything to fence.
func (t *turn) shut(because Reason) {
	if t.Phase == Promoting || t.Phase == Leading {
		t.fence(because)
	}
}

// dropAuthority makes everything that the authority rested on count for
// nothing: it can be won again only by what is sent and written from now on, or
// by a write still open that turns out applied.
func (t *turn) dropAuthority() {
	t.Lead.ArbiterUntil = 0
	t.Lead.Promoted = false
	t.Lead.Retry = t.now
	t.forgetAnswers()
}

// stopAt says when the service has to be told to stop: in every phase that may
// not run it, until it is known to be over.
func (t *turn) stopAt() Instant {
	if t.Lead.Service != Active || t.Phase == Promoting || t.Phase == Leading {
		return Never
	}
	return t.Lead.Retry
}

func (t *turn) startStop() {
	t.Lead.Service = Stopping
	t.Lead.Op = t.op()
	t.do(Action{Kind: DoFence, Op: t.Lead.Op, Epoch: t.Lead.ServiceEpoch, Until: t.Lead.Ends})
}

// fenceAnswered takes note that the service has stopped; if it has not, it is
// told again.
func (t *turn) fenceAnswered(ev *Event) {
	if t.Lead.Service != Stopping || ev.Op != t.Lead.Op {
		return
	}
	t.Lead.Op = 0
	if ev.OK {
		t.over(ToldStopFailed)
		t.Lead.Service, t.Lead.Ends = Passive, 0 // the next stop has its own end
		return
	}
	t.tell(ToldStopFailed)
	t.Lead.Service = Active
	t.Lead.Retry = t.now.Add(t.c.HeartbeatInterval)
}

// resumeAt says when a fence is left for a new promotion at the same epoch: the
// service has stopped, the record is still this session's, and new authority
// was won since (design 3.7).
func (t *turn) resumeAt() Instant {
	if t.Phase != Fenced || t.Lead.Service != Passive || t.retakes() {
		return Never
	}
	if t.View.Session != t.c.Session || !t.mayAct() {
		return Never
	}
	return t.now
}

func (t *turn) resume() {
	if t.Lead.ArbiterUntil > t.beatsUntil(t.c) {
		t.promote(BecauseResumedByWrite)
		return
	}
	t.promote(BecauseResumedByBeats)
}

// lose ends a holding that is somebody else's by now: fence, demote, follow.
func (t *turn) lose(because Reason) {
	t.shut(because)
	if t.now >= t.stopAt() {
		t.startStop() // before the demote hook
	}
	epoch := t.Lead.Epoch
	if t.Write.Open {
		t.writeEnded()
	}
	t.endHolding(t.answerToLoss(because))
	if t.View.Found == FoundAbsent {
		t.View.Holder, t.View.Session = "", ""
	}
	t.do(Action{Kind: DoDemote, Epoch: epoch})
	if t.View.Session != "" {
		t.follow(because)
		return
	}
	t.enter(NoLease, because)
}

// answerToLoss is what a command that waited for the holding's end is told: all is
// well if the release was on its way and the next holder was quicker than its answer.
func (t *turn) answerToLoss(because Reason) Reason {
	if t.Phase == Releasing && because == BecauseDeposed {
		return ""
	}
	return because
}

// endHolding forgets what only a holder needs, and answers a command that
// waited for the holding's end.
func (t *turn) endHolding(answer Reason) {
	l := &t.Lead
	if l.Answer != 0 {
		t.do(Action{Kind: DoAnswer, Op: l.Answer, Reason: answer})
	}
	t.forgetAnswers()
	*l = Holding{Seq: l.Seq, Service: l.Service, ServiceEpoch: l.ServiceEpoch, Op: l.Op, Ends: l.Ends, Retry: l.Retry}
}

// heedStale handles an elector's word that this epoch is over, or is not this
// session's alone.
func (t *turn) heedStale(m *Message) {
	if m.Holder != t.c.Session || m.Epoch < t.View.Record.Epoch {
		return
	}
	if !t.View.Record.Electors.Has(Elector{m.Node, m.Identity}) {
		return
	}
	t.Lead.StaleEpoch = max(t.Lead.StaleEpoch, m.Epoch)
	t.raiseFloor(m.Epoch)
	t.shut(BecauseStale)
	t.Read.Wanted = true
}

// retakes reports whether this holding must go on at a higher epoch: an elector
// knows one that is not below, or this node itself has observed one above, though
// the record, which was rolled back, is this session's.
func (t *turn) retakes() bool {
	held := t.View.Record.Epoch
	return held != 0 && (t.Lead.StaleEpoch >= held || t.Floor.Epoch > held)
}

// retakeAt says when a stale holding is taken anew: once a read that started
// after the refusal has shown that the record is still this session's.
func (t *turn) retakeAt() Instant {
	if t.Phase != Fenced || !t.retakes() || t.Lead.Service != Passive || t.Write.Open {
		return Never
	}
	if t.Read.Wanted || t.Read.Op != 0 || t.View.Session != t.c.Session || !t.Standing.Eligible() {
		return Never
	}
	return t.Write.NotBefore
}

func (t *turn) retake() {
	t.propose(Take, t.proposedTake())
}
