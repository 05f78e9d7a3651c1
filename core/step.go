package core

// Step is the protocol. It handles what the clock makes due, then the event,
// then what that makes due, and checks the invariants. It changes s and appends
// to out the actions to be started, in order. It panics with a *Violation when
// an invariant does not hold: that election must stop acting.
//
// After a step, s.Next is the instant at which Step wants to be called again
// if nothing happens before.
func Step(c *Config, s *State, now Instant, ev Event, out []Action) []Action {
	if now < s.Now {
		now = s.Now // two events of one instant, read in the other order
	}
	t := turn{State: s, c: c, now: now, random: ev.Random, wall: ev.Wall, out: out}
	s.Now = now

	before := measure(s, out)
	if now >= s.Next {
		t.settleDues()
	}
	t.handle(&ev)
	t.settleDues()
	t.check(before)
	return t.out
}

// turn is one step under way: the state, what came with the event, and the
// actions so far.
type turn struct {
	*State
	c      *Config
	now    Instant
	random [2]uint64
	wall   int64
	out    []Action
}

func (t *turn) do(a Action) { t.out = append(t.out, a) }

func (t *turn) op() OpID {
	t.LastOp++
	return t.LastOp
}

func (t *turn) enter(p Phase, because Reason) {
	if t.Phase == p {
		return
	}
	t.do(Action{Kind: Transition, From: t.Phase, To: p, Reason: because, Epoch: t.View.Heard.Epoch})
	t.Phase, t.Because = p, because
}

// handle applies one event by the rule that the table names for it.
func (t *turn) handle(ev *Event) {
	switch table[t.Phase][ev.Kind] {
	case nothing:
	case readAnswered:
		t.readAnswered(ev)
	case writeAnswered:
		t.writeAnswered(ev)
	case floorSaved:
		t.floorSaved(ev)
	case promoteAnswered:
		t.promoteAnswered(ev)
	case fenceAnswered:
		t.fenceAnswered(ev)
	case greet:
		t.greet(ev.Peer)
	case missPeer:
		t.missPeer(ev.Peer)
	case noteGreeting:
		t.noteGreeting(ev.Message)
	case answerLeader:
		t.answerLeader(ev.Message)
	case answerRival:
		t.answerRival(ev.Message)
	case countAck:
		t.countAck(ev.Message)
	case countBusy:
		t.countBusy(ev.Message)
	case heedStale:
		t.heedStale(ev.Message)
	case noteRelease:
		t.noteRelease(ev.Message)
	case handOver:
		t.handOver(ev.Message.Target)
	case stand:
		t.stand(ev.Standing)
	case stepDown:
		t.stepDown(ev.Op, ev.Target)
	case forwardStepDown:
		t.forwardStepDown(ev.Op, ev.Target)
	case refuseStepDown:
		t.refuse(ev.Op, AlreadyChanging)
	case renewSoon:
		t.Lead.RenewWanted = true
	case reviewRoster:
		t.Lead.RosterAt = t.now
		t.Lead.RenewWanted = true
	case admit:
		t.Admitted = true
	case readSoon:
		t.Read.Wanted = true
	case shutDown:
		t.Shutdown = true
	case shutDownHolding:
		t.Shutdown = true
		t.beginRelease(BecauseShutdown, "")
	case serviceEnded:
		t.beginRelease(BecauseServiceEnded, "")
	}
}
