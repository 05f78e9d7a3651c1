package core

import (
	"fmt"
	"time"
)

// propose starts a write. Until it is known applied or known never to apply it
// stays open, and every further attempt proposes the same content.
func (t *turn) propose(intent Intent, r Record) {
	w := &t.Write
	w.Open, w.Intent, w.Proposal = true, intent, r
	w.Base, w.Expected = t.View.Record.Position(), t.View.Version
	if t.View.Found == FoundAbsent {
		w.Base, w.Expected = Position{}, ""
	}
	w.Len, w.Tries = 0, 0
	t.attempt()
}

// attempt sends the proposal under a fresh write_id. When too many are awaited
// the last one is used again with its first start: a lease counted from there
// may be over when it turns out applied, but never lasts too long.
func (t *turn) attempt() {
	w := &t.Write
	if w.Len < MaxAttempts {
		w.Attempts[w.Len] = Attempt{WriteID: t.writeID(), Started: t.now}
		w.Len++
	}
	w.OpAttempt = w.Len - 1
	w.Tries++
	w.Last = t.now
	w.Op = t.op()
	t.discardRead()
	t.Read.Wanted = false
	r := w.Proposal
	r.WriteID = w.Attempts[w.OpAttempt].WriteID
	t.do(Action{
		Kind: DoWrite, Op: w.Op, Expected: w.Expected, Record: &r,
		Intent: w.Intent, Timeout: t.writeTimeout(),
	})
}

func (t *turn) writeID() string { return fmt.Sprintf("%016x%016x", t.random[0], t.random[1]) }

// writeTimeout keeps a write's deadline inside the authority that it would buy.
func (t *turn) writeTimeout() time.Duration {
	return min(t.c.ArbiterTimeout, t.Write.Proposal.ArbiterLease-t.c.FenceMargin)
}

// writeAnswered handles what the arbiter said to the attempt in flight. Only
// Applied and a certain "not applied" end anything; the rest is looked up by a
// read that starts after this answer (design 3.6).
func (t *turn) writeAnswered(ev *Event) {
	w := &t.Write
	if ev.Op != w.Op || w.Op == 0 {
		return
	}
	w.Op = 0
	t.discardRead()
	switch ev.Outcome {
	case Applied:
		t.Read.Failures, w.NotBefore = 0, 0
		t.writeApplied(w.Attempts[w.OpAttempt], ev.Version)
	case Conflict, Unknown, Corrupt:
		if ev.Outcome == Unknown {
			t.Read.Failures++
		}
		t.lookUp()
	default:
		t.attemptNotApplied(ev.Outcome)
	}
}

// lookUp wants a read that tells what became of the open write.
func (t *turn) lookUp() {
	t.Read.Wanted, t.Read.NotBefore = true, t.now
}

// attemptNotApplied forgets an attempt that certainly did not and will not
// happen, and tries again after a pause.
func (t *turn) attemptNotApplied(o Outcome) {
	w := &t.Write
	t.arbiterFailed(o)
	w.NotBefore = t.now.Add(t.pause(o))
	if w.OpAttempt == w.Len-1 && !t.attemptReused() {
		w.Len--
		w.Attempts[w.Len] = Attempt{}
	}
	if w.Len == 0 {
		if w.Intent == Renew && t.Phase.Holds() {
			t.Lead.RosterAt = t.now // what it was to change is still to be changed
		}
		t.writeEnded()
		if t.View.OlderSince != 0 || t.View.AbsentSince != 0 && t.View.Found == FoundRecord {
			t.Read.Wanted = true // the attempt took the place of the look that was due
		}
		t.afterNotApplied(BecauseTakeLost)
		return
	}
	t.lookUp()
}

// attemptReused reports whether the attempt last made may stand for more than
// one write, so that one certain answer does not speak for all of them.
func (t *turn) attemptReused() bool { return t.Write.Len == MaxAttempts }

// retryAt says when an open proposal is attempted again. A take is started
// again only where it might be started at all.
func (t *turn) retryAt() Instant {
	w := &t.Write
	if !w.Open || w.Op != 0 || t.Read.Op != 0 || t.Read.Wanted {
		return Never
	}
	if w.Intent == Take && !t.Phase.Holds() {
		return max(w.NotBefore, t.freeForTake())
	}
	return w.NotBefore
}

func (t *turn) retry() { t.attempt() }

// retrySoon lets an open proposal be attempted again, after a pause that grows
// with every attempt. It counts from the newest one: however often the record is
// looked at meanwhile, the next one comes.
func (t *turn) retrySoon() {
	w := &t.Write
	w.NotBefore = max(t.now, w.Last.Add(t.c.backoff(w.Tries)))
}

// resolveBy resolves the open write by a record that was read after its start
// and its latest answer (design 3.6).
func (t *turn) resolveBy(r *Record, v Version) {
	w := &t.Write
	for i := range w.Len {
		if w.Attempts[i].WriteID == r.WriteID {
			t.writeApplied(w.Attempts[i], v)
			return
		}
	}
	if r.Position().After(w.Base) {
		t.writeNeverApplies()
		return
	}
	// The expected record stands still, perhaps under another tag than a torn
	// read gave it: the write may land yet, and is attempted again.
	w.Expected = v
	t.retrySoon()
}

// creates reports whether the open proposal is a first record.
func (w *Writing) creates() bool { return w.Open && w.Expected == "" }

// passedBy reports whether a record at that position, known to exist though not
// read, means that the open proposal can never be applied. What a rollback undid
// may live on beside the record that the proposal replaces: the position must be
// newer than any known before, and, as a proposal that jumps over epochs replaces
// a record older than the floor, not below that proposal's epoch.
func (w *Writing) passedBy(at, top Position) bool {
	if !w.Open {
		return false
	}
	if w.Proposal.Epoch > w.Base.Epoch+1 {
		return at.Epoch >= w.Proposal.Epoch
	}
	return at.After(w.Base) && at.After(top)
}

// writeEnded closes the open proposal.
func (t *turn) writeEnded() {
	notBefore := t.Write.NotBefore
	t.Write = Writing{NotBefore: notBefore}
	t.discardRead()
}

// writeNeverApplies closes a proposal that the record has moved past.
func (t *turn) writeNeverApplies() {
	t.writeEnded()
	t.Write.NotBefore = 0
	t.afterNotApplied(BecauseTakeLost)
}

// afterNotApplied leaves Taking; in the phases of a holder what was read or
// heard decides.
func (t *turn) afterNotApplied(because Reason) {
	if t.Phase != Taking {
		return
	}
	if t.View.Session != "" {
		t.follow(because)
		return
	}
	t.enter(NoLease, because)
}

// writeApplied makes the proposal the record. Its lease counts from the start
// of the attempt that was applied, not from the answer or the read that told.
func (t *turn) writeApplied(a Attempt, v Version) {
	r, intent := t.Write.Proposal, t.Write.Intent
	r.WriteID = a.WriteID
	t.writeEnded()
	t.Read.Wanted = false
	view := &t.View
	view.Found = FoundRecord
	t.know(&r)
	t.seeEpoch(r.Epoch)
	view.Heard = r.Position()
	view.noteTop()
	view.Version = v
	view.Holder, view.Session = r.Holder, r.Session
	view.AbsentSince, view.OlderSince, view.Since = 0, 0, t.now
	view.FreeAt = Never
	t.Admitted = false
	t.over(ToldDenied, ToldInvalid, ToldRecordGone)
	t.createFloor(r.Epoch)
	switch intent {
	case Take:
		t.taken(a.Started)
	case Renew:
		t.renewed(a.Started)
	case Release:
		t.released()
	}
}

// arbiterFailed counts a failure and names the kinds that need a person.
func (t *turn) arbiterFailed(o Outcome) {
	t.Read.Failures++
	switch o {
	case Denied:
		t.tell(ToldDenied)
	case Invalid:
		t.tell(ToldInvalid)
	}
}

// pause is how long to wait after a failure: longer each time, and long at once
// where only a person can help.
func (t *turn) pause(o Outcome) time.Duration {
	switch o {
	case Denied, Invalid, Corrupt:
		return max(1, poll(t.arbiterLease())/2)
	case Throttled:
		return max(t.c.backoff(t.Read.Failures), t.c.HeartbeatInterval)
	}
	return t.c.backoff(t.Read.Failures)
}

// arbiterLease is the record's lease, or one's own while there is no record.
func (t *turn) arbiterLease() time.Duration {
	if lease := t.View.Record.ArbiterLease; lease > 0 {
		return lease
	}
	return t.c.ArbiterLease
}

// longestLease bounds any holder's arbiter authority whose record is not at hand.
func (t *turn) longestLease() time.Duration {
	return max(t.c.ArbiterLease, t.View.Record.ArbiterLease)
}
