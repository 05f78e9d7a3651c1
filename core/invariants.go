package core

import "fmt"

// Violation is what Step panics with when an invariant does not hold.
type Violation struct {
	Name string // of design 9
	Text string
}

// Error names the invariant and what was seen.
func (v *Violation) Error() string { return v.Name + ": " + v.Text }

// measures are the quantities that may only rise, as they were before a step.
type measures struct {
	floor   Epoch
	saved   Epoch
	promise Instant
	seq     uint64
	actions int // in the caller's buffer already
}

func measure(s *State, out []Action) measures {
	return measures{s.Floor.Epoch, s.Floor.Saved, s.Vow.Until, s.Lead.Seq, len(out)}
}

// check asserts what must hold after every step, on one node alone.
func (t *turn) check(before measures) {
	t.checkOrder(before)
	t.checkPhase()
	t.checkWrite(before)
}

func (t *turn) checkOrder(before measures) {
	switch {
	case t.Next <= t.now:
		violate("duties", "something is due at %d and not done at %d", t.Next, t.now)
	case t.Floor.Epoch < before.floor || t.Floor.Saved < before.saved:
		violate("I7", "the floor fell from %d to %d", before.floor, t.Floor.Epoch)
	case t.Vow.Until < before.promise:
		violate("I4", "a promise was taken back")
	case t.Lead.Seq < before.seq:
		violate("I4", "rounds were numbered anew")
	}
}

func (t *turn) checkPhase() {
	held := t.View.Record.Epoch
	if t.Phase.Holds() {
		switch {
		case t.View.Record.Session != t.c.Session || t.View.Record.State != Held:
			violate("I3", "holds a record of session %q", t.View.Record.Session)
		case t.Vow.Owed.Peer != "":
			violate("I5", "a holder owes a promise")
		}
	}
	switch t.Phase {
	case Promoting, Leading:
		switch {
		case !t.mayAct():
			violate("I9", "%s without authority at epoch %d", t.Phase, held)
		case t.Lead.Service != Active:
			violate("I6", "%s without a service at epoch %d", t.Phase, held)
		case t.Phase == Leading && t.Floor.Saved < held:
			violate("I7", "leads at epoch %d, which is not on disk", held)
		}
	case Taking:
		if !t.Write.Open || t.Write.Intent != Take {
			violate("I5", "takes without a write")
		}
	}
}

func (t *turn) checkWrite(before measures) {
	if !t.Write.Open {
		return
	}
	if t.Write.Len == 0 {
		violate("I5", "an open write without an attempt")
	}
	if !t.Write.Proposal.Position().After(t.Write.Base) {
		violate("I7", "a write that does not move the record on")
	}
	for i := before.actions; i < len(t.out); i++ {
		if m := &t.out[i].Message; m.Kind == Ack && m.Asking {
			violate("I5", "acknowledged while a write is unresolved")
		}
	}
}

func violate(name, format string, args ...any) {
	panic(&Violation{Name: name, Text: fmt.Sprintf(format, args...)})
}
