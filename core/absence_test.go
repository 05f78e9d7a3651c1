package core

import (
	"testing"
	"time"
)

// absent lets a read that started just before find no record.
func (t *turn) absent() { t.finds(77) }

func (t *turn) finds(op OpID) {
	t.readAnswered(&Event{Kind: ReadDone, Op: t.reads(op), Outcome: Applied, Found: FoundAbsent})
}

// reads starts a read.
func (t *turn) reads(op OpID) OpID {
	t.Read.Op, t.Read.Last = op, t.now
	return op
}

// TestAbsenceTakesALease: who stands on a record believes that it is gone after a
// whole lease in which no read finds it, and nobody else waits (decision 0113).
func TestAbsenceTakesALease(t *testing.T) {
	follower := func() *turn { return followingB() }
	leader := func() *turn { return leadingA(at(12), of("a", "b")) }
	renewing := func() *turn {
		u := leader()
		u.open(of("a", "b"), 30*time.Second)
		u.Write.Expected = "v1"
		return u
	}
	challenger := func() *turn {
		u := follower()
		u.Phase = Taking
		u.open(of("a", "b"), 30*time.Second)
		u.Write.Intent, u.Write.Expected = Take, "v1"
		return u
	}
	for name, c := range map[string]struct {
		node  func() *turn
		after time.Duration // of absence
		found Found
		phase Phase
		open  bool
	}{
		"a follower, at once":         {follower, 0, FoundAbsent, NoLease, false},
		"a leader, at once":           {leader, 0, FoundRecord, Leading, false},
		"a leader, before the end":    {leader, 30*time.Second - 1, FoundRecord, Leading, false},
		"a leader, after a lease":     {leader, 30 * time.Second, FoundAbsent, NoLease, false},
		"renewing, before the end":    {renewing, 30*time.Second - 1, FoundRecord, Leading, true},
		"renewing, after a lease":     {renewing, 30 * time.Second, FoundAbsent, NoLease, false},
		"challenging, at once":        {challenger, 0, FoundRecord, Taking, true},
		"challenging, before the end": {challenger, 30*time.Second - 1, FoundRecord, Taking, true},
		"challenging, after a lease":  {challenger, 30 * time.Second, FoundAbsent, NoLease, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := c.node()
			u.View.Session = map[bool]string{true: "a1"}[u.Phase.Holds()]
			u.absent()
			u.now = u.now.Add(c.after)
			u.absent()
			if u.View.Found != c.found || u.Phase != c.phase || u.Write.Open != c.open {
				t.Errorf("found %d, %s, write open: %t; want %d, %s, %t", u.View.Found, u.Phase, u.Write.Open, c.found, c.phase, c.open)
			}
			if end := at(12 + 30); u.Read.Wanted && u.Read.NotBefore > end {
				t.Errorf("the next look is %v after a lease is over", u.Read.NotBefore.Sub(end))
			}
		})
	}
}

// TestRecordFoundAgain: absence that one read finds and the next does not counts
// from its next beginning.
func TestRecordFoundAgain(t *testing.T) {
	u := leadingA(at(12), of("a", "b"))
	u.View.Version = "v1"
	u.absent()
	u.now = at(40)
	r := u.View.Record
	u.seeRecord(&Event{Kind: ReadDone, Record: &r, Version: "v1"})
	u.now = at(43)
	u.absent()
	if u.Phase != Leading || u.View.AbsentSince != at(43) {
		t.Errorf("%s, absent since %v", u.Phase, u.View.AbsentSince.Sub(origin))
	}
}

// TestFloorlessElectorDoesNotAskForever: one that has no floor looks for the record
// that a leader stands on at once when it first hears of it, and at the pace of
// polling once it has found that it is gone.
func TestFloorlessElectorDoesNotAskForever(t *testing.T) {
	u := followingB()
	u.Floor = Floor{}
	u.View.Found = 0
	beat := &Message{Kind: Heartbeat, Node: "b", Identity: "id-b", Session: "b1", Epoch: 3, Revision: 7, Asking: true}
	u.answerLeader(beat)
	if got := u.readAt(); got > u.now {
		t.Fatalf("at first the read is due in %v", got.Sub(u.now))
	}
	u.read()
	u.absent()
	if u.answerLeader(beat); u.Read.Wanted {
		t.Error("it is looked for again though nothing was heard since")
	}
	reads := 0
	for range 60 { // half a minute: a lease
		u.now = u.now.Add(u.c.HeartbeatInterval)
		u.answerLeader(beat)
		if u.now >= u.readAt() {
			reads++
			u.read()
			u.absent()
		}
	}
	if reads != 3 {
		t.Errorf("when it is gone it is read %d times within a lease, want 3", reads)
	}
	u.now, beat.Revision = u.now.Add(time.Millisecond), beat.Revision+1
	u.answerLeader(beat)
	if got := u.readAt(); got > u.now {
		t.Errorf("a newer record is read in %v, want at once", got.Sub(u.now))
	}
}

// TestFloorlessElectorBesideAnUnreadableRecord: as above, where the record is of a
// newer format, or corrupt.
func TestFloorlessElectorBesideAnUnreadableRecord(t *testing.T) {
	for _, found := range []Found{FoundCorrupt, FoundNewer} {
		u := followingB()
		u.Floor = Floor{}
		u.View.Found = 0
		beat := &Message{Kind: Heartbeat, Node: "b", Identity: "id-b", Session: "b1", Epoch: 3, Revision: 7, Asking: true}
		reads := 0
		for range 60 { // half a minute: a lease
			u.now = u.now.Add(u.c.HeartbeatInterval)
			u.answerLeader(beat)
			if u.now >= u.readAt() {
				reads++
				u.read()
				u.readAnswered(&Event{Kind: ReadDone, Op: u.Read.Op, Outcome: Applied, Found: found})
			}
		}
		if reads > 4 {
			t.Errorf("found %d: read %d times within a lease", found, reads)
		}
	}
}

// TestReadFromBeforeTheRecord: a read that was under way when a newer record was
// heard of may have looked before it, and tells nothing about it.
func TestReadFromBeforeTheRecord(t *testing.T) {
	u := followingB()
	u.vanish()
	u.read()
	op := u.Read.Op
	u.now = u.now.Add(time.Millisecond)
	u.answerLeader(&Message{Kind: Heartbeat, Node: "c", Identity: "id-c", Session: "c1", Epoch: 9, Revision: 8, Version: "v9", Asking: true})
	u.readAnswered(&Event{Kind: ReadDone, Op: op, Outcome: Applied, Found: FoundAbsent})
	if u.Phase != Following || u.View.AbsentSince != 0 || !u.Read.Wanted {
		t.Errorf("%s, absent since %v, looks again: %t", u.Phase, u.View.AbsentSince, u.Read.Wanted)
	}
}

// TestAbsenceEndsByWhatCannotBeRead: what is there and cannot be read is not absent.
func TestAbsenceEndsByWhatCannotBeRead(t *testing.T) {
	u := followingB()
	u.absent()
	u.now = u.now.Add(u.longestLease())
	u.seeUnreadable(FoundCorrupt, ToldRecordCorrupt)
	u.absent()
	if u.View.AbsentSince != u.now {
		t.Errorf("absence counts from %v before", u.now.Sub(u.View.AbsentSince))
	}
}

// TestOldRecordOverAnOpenCreate: with a create open, a read that shows the record which
// had vanished is a stale one, and the create may land yet.
func TestOldRecordOverAnOpenCreate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Record)
		open   bool
	}{
		"the record that had vanished":    {func(*Record) {}, true},
		"one from before that":            {func(r *Record) { r.Epoch-- }, true},
		"one created anew":                {func(r *Record) { r.Epoch, r.Revision = 1_700_000_000, 8 }, false},
		"a renewal, at an epoch on disk":  {func(r *Record) { r.Revision++ }, true},
		"one that was taken since, above": {func(r *Record) { r.Epoch++; r.Revision++ }, false},
	} {
		u := followingB()
		u.vanish()
		u.Floor = Floor{Known: true, Epoch: 3, Saved: 3}
		u.Phase = Taking
		u.open(of("a", "b"), 30*time.Second)
		u.Write.Intent, u.Write.Expected, u.Write.Base = Take, "", Position{}
		u.Write.Proposal.Epoch = 1_700_000_001
		r := u.View.Record
		c.change(&r)
		u.seeRecord(&Event{Kind: ReadDone, Record: &r, Version: "vx"})
		if u.Write.Open != c.open {
			t.Errorf("%s: the create is open: %t, want %t", name, u.Write.Open, c.open)
		}
	}
}

// TestDoubtfulLookIsTakenAgain: an attempt that takes the place of a look that was due
// and certainly fails leaves the look due; else an absence of long ago would count.
func TestDoubtfulLookIsTakenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		doubt func(*View)
		want  bool
	}{
		"nothing is doubted":     {func(*View) {}, false},
		"an absence is doubted":  {func(v *View) { v.AbsentSince = at(11) }, true},
		"a rollback is doubted":  {func(v *View) { v.OlderSince = at(11) }, true},
		"the absence is certain": {func(v *View) { v.AbsentSince, v.Found = at(11), FoundAbsent }, false},
	} {
		u := leadingA(at(12), of("a", "b"))
		c.doubt(&u.View)
		u.propose(Renew, u.nextRecord())
		u.writeAnswered(&Event{Kind: WriteDone, Op: u.Write.Op, Outcome: Unavailable})
		if u.Write.Open || u.Read.Wanted != c.want {
			t.Errorf("%s: the write is open: %t, a look is wanted: %t, want %t", name, u.Write.Open, u.Read.Wanted, c.want)
		}
	}
}

// TestReleaseEndsAnAbsence: a release that is told of shows that there is a record.
func TestReleaseEndsAnAbsence(t *testing.T) {
	u := followingB()
	u.vanish()
	u.View.OlderSince = at(11)
	u.noteRelease(&Message{Kind: Released, Node: "b", Session: "b1", Epoch: 4, Revision: 9})
	if u.View.AbsentSince != 0 || u.View.OlderSince != 0 {
		t.Errorf("absent since %v, older since %v", u.View.AbsentSince, u.View.OlderSince)
	}
}

// TestDoubtEndsWithTheCreate: a heartbeat that passes an open create ends what was
// doubted beside it; one that does not leaves it.
func TestDoubtEndsWithTheCreate(t *testing.T) {
	for name, c := range map[string]struct {
		heard  Epoch
		doubts Instant
	}{
		"passes it": {9, 0}, "below it": {5, at(11)},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			u.open(of("a"), 1)
			u.Phase, u.Write.Intent, u.Write.Expected, u.Write.Base = Taking, Take, "", Position{}
			u.Write.Proposal.Epoch, u.View.OlderSince = 8, at(11)
			u.hear(&Message{Kind: Heartbeat, Node: "b", Session: "b1", Epoch: c.heard, Revision: 20})
			if u.View.OlderSince != c.doubts || u.Write.Open != (c.doubts != 0) {
				t.Errorf("doubts since %v, the create is open: %t", u.View.OlderSince, u.Write.Open)
			}
		})
	}
}
