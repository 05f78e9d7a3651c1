package sim

import (
	"fmt"

	"github.com/electd/electd/core"
)

// store is a register with compare-and-swap, as it stands, and what stood in it
// before.
type store struct {
	cell
	older   cell // what was there before
	count   int  // versions ever given
	deletes int
}

// cell is what the register holds at one time.
type cell struct {
	present bool
	record  core.Record
	version core.Version
	written Time
}

// request is one call to the store on its way.
type request struct {
	node     uint8
	life     uint32
	op       core.OpID
	write    bool
	intent   core.Intent
	expected core.Version
	record   core.Record
	timeout  Time
	sent     Time
	arrives  bool         // it reaches the store
	replaced core.Outcome // said instead of what happened; 0 if the truth is told
	torn     bool
	stale    bool
	gone     bool // it has been answered: free it when it has also arrived
	late     bool
	blind    bool          // see judgeBlindness
	base     core.Position // of the record that it replaces
	top      core.Position // the newest that its node knew of when it was sent

	event core.Event // the answer
}

// request sends a read or a write to the store; the faults at work decide how
// it fares.
func (w *World) request(n *node, a *core.Action) {
	ref, r := w.requests.add()
	*r = request{
		node: uint8(n.index), life: n.life, op: a.Op, write: a.Kind == core.DoWrite, intent: a.Intent,
		expected: a.Expected, timeout: Time(a.Timeout), sent: w.now, arrives: true,
	}
	r.event.Kind = core.ReadDone
	if r.write {
		r.record, r.base, r.top = *a.Record, n.state.Write.Base, n.state.View.Top
		r.event.Kind = core.WriteDone
	}
	r.event.Op = r.op
	w.asks(n, r)
	if r.write {
		w.judgeBlindness(n, r)
	}

	latency := w.plan.Store.Latency
	there, back := w.within(latency[0], latency[1])/2, w.within(latency[0], latency[1])/2
	if w.striking(StoreSlow, nil) {
		there += w.within(0, r.timeout)
		back += w.within(0, r.timeout)
	}
	answer := w.fate(n, r, &there, &back)
	if answer > r.timeout {
		answer = r.timeout
		r.replaced = core.Unavailable
		if r.write {
			r.replaced = core.Unknown
		}
	}
	if r.arrives {
		w.queue.push(happening{at: w.now + there, kind: reaches, node: uint8(n.index), ref: ref})
	}
	w.queue.push(happening{at: w.now + answer, kind: answers, node: uint8(n.index), life: n.life, ref: ref})
}

// fate decides what becomes of a request, and returns when it is answered.
func (w *World) fate(n *node, r *request, there, back *Time) Time {
	whole := *there + *back
	lost := r.timeout + 1
	refuse := func(o core.Outcome) Time {
		r.arrives, r.replaced = false, o
		return whole
	}
	switch {
	case w.striking(CutOff, n), w.striking(StoreDown, nil):
		r.arrives = r.write && w.chance(100) // it was just leaving
		return lost
	case w.striking(StoreRefuse, nil):
		return refuse(core.Unavailable)
	case w.striking(Throttle, nil):
		return refuse(core.Throttled)
	case w.striking(Deny, n):
		return refuse(core.Denied)
	}
	if !r.write {
		r.torn, r.stale = w.striking(Torn, nil), w.striking(Stale, nil)
		return whole
	}
	switch {
	case w.striking(StoreSilent, n):
		return lost
	case w.striking(StoreLate, n):
		*there = r.timeout + w.within(0, 10*Second)
		r.late = true
		return lost
	case w.striking(StoreReset, n):
		r.replaced = core.Unknown
		*there += w.within(0, 3*r.timeout)
		return whole
	case w.striking(StoreRetried, n):
		r.replaced = core.Conflict
	case w.striking(Store409, n):
		return refuse(core.Conflict)
	}
	return whole
}

// reach lets a request take effect.
func (w *World) reach(ref int32) {
	r := &w.requests.all[ref]
	if r.write {
		w.swap(r)
	} else {
		w.sample(r)
	}
	if r.gone {
		w.requests.free(ref)
	}
	r.arrives = false
}

// swap stores a record iff the version is still the expected one.
func (w *World) swap(r *request) {
	s := &w.store
	if r.expected != s.version {
		r.event.Outcome = core.Conflict
		return
	}
	s.older = s.cell
	s.count++
	s.cell = cell{
		present: true, record: r.record, written: w.now,
		version: core.Version(fmt.Sprintf("v%d", s.count)),
	}
	r.event.Outcome, r.event.Version = core.Applied, s.version
	if r.gone && r.late {
		w.seen[UnknownAppliedLate]++
	}
	if r.blind {
		w.leaveOut(r)
		return
	}
	w.applied(r)
}

// sample lets a read see what is stored.
func (w *World) sample(r *request) {
	from := w.store.cell
	if r.stale {
		from = w.store.older
	}
	ev := &r.event
	ev.Outcome, ev.Found = core.Applied, core.FoundAbsent
	if w.plan.Store.Dates {
		ev.StoreDate = storeEpoch + w.now/Second
	}
	if !from.present {
		return
	}
	ev.Found, ev.Version = core.FoundRecord, from.version
	r.record = from.record
	written := from.written
	if r.torn && w.store.older.present {
		ev.Version, written = w.store.older.version, w.store.older.written
	}
	if w.plan.Store.Ages {
		ev.Age = duration(max(0, w.now-written-w.plan.Store.Resolution))
	}
}

// storeEpoch is the store's date when a run begins, in Unix seconds.
const storeEpoch = 1_700_000_000

// answered hands the store's answer to the node.
func (w *World) answered(n *node, ref int32) {
	r := &w.requests.all[ref]
	ev := r.event
	if r.replaced != 0 {
		ev.Outcome, ev.Found, ev.Version = r.replaced, 0, ""
	}
	record := r.record
	if ev.Found == core.FoundRecord {
		ev.Record, n.told = &record, true
	}
	w.noteAnswer(n, r, &ev)
	w.letGo(ref)
	w.step(n, ev)
}

// letGo frees a request that nobody waits for any more, unless it is still on its
// way to the store: then reach does.
func (w *World) letGo(ref int32) {
	if r := &w.requests.all[ref]; r.arrives {
		r.gone = true
		return
	}
	w.requests.free(ref)
}

// erase deletes the record, unless that is one of the cases which the design
// says it does not cover.
func (w *World) erase() {
	if !w.store.present || !w.mayErase() {
		return
	}
	w.store.older = w.store.cell
	w.store.cell = cell{}
	w.store.deletes++
	w.judge.erased = w.now
	w.say("the record is deleted")
}

// restore rolls the record back to what was there before.
func (w *World) restore() {
	if !w.store.present || !w.store.older.present {
		return
	}
	w.store.count++
	w.store.cell = cell{
		present: true, record: w.store.older.record, written: w.now,
		version: core.Version(fmt.Sprintf("v%d", w.store.count)),
	}
	w.judge.rolledBack = true
	w.say("the record is rolled back to epoch %d revision %d", w.store.record.Epoch, w.store.record.Revision)
}
