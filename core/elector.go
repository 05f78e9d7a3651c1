package core

// answerLeader answers a heartbeat as an elector (design 3.4). The order of the
// refusals is the protocol.
func (t *turn) answerLeader(m *Message) {
	if t.refuteStale(m) {
		return
	}
	t.hear(m)
	switch {
	case t.Write.Open:
		t.answerBusy(m, t.Write.Base)
	case !t.Floor.Known:
		if t.View.Found != FoundRecord || !t.copyCurrent() {
			t.wantRecord() // else this is a stranger, which has read
		}
		t.answerBusy(m, Position{})
		t.sendHello(m.Node)
	case !m.Asking:
		t.answer(Ack, m)
	default:
		t.promise(m)
	}
	if t.Phase == NoLease && t.View.Session != "" {
		t.follow(BecauseHeardLeader)
	}
}

// wantRecord wants the record that a leader stands on: at once, but at the pace of
// polling if it was looked for since it was heard of, and is gone or unreadable.
func (t *turn) wantRecord() {
	if t.Read.Last < t.View.Since || t.pollIsDue() {
		t.Read.Wanted = true
	}
}

// answerRival answers a heartbeat that arrives while this session holds.
func (t *turn) answerRival(m *Message) {
	if t.refuteStale(m) {
		return
	}
	if m.Epoch > t.View.Record.Epoch {
		t.hear(m)
		if t.Write.Open {
			// It may land yet, over a record that was rolled back: a read decides.
			t.shut(BecauseDeposed)
			t.Read.Wanted = true
			t.answerBusy(m, t.Write.Base)
			return
		}
		t.lose(BecauseDeposed)
		t.answerLeader(m)
	}
}

// refuteStale answers Stale to a heartbeat of a holding that is over, and to a
// second session at an epoch that is taken; it reports whether it did.
func (t *turn) refuteStale(m *Message) bool {
	highest := t.highest()
	twin := m.Epoch == t.View.Heard.Epoch && t.View.Session != "" && t.View.Session != m.Session
	if m.Epoch >= highest && !twin {
		return false
	}
	if twin {
		t.tell(ToldTwinSession)
		t.Read.Wanted = true
	}
	a := t.reply(Stale, m)
	a.Epoch = highest
	t.do(Action{Kind: DoSend, Peer: m.Node, Message: a})
	return true
}

// highest returns the highest epoch this node knows of.
func (t *turn) highest() Epoch {
	if t.Floor.Known {
		return max(t.Floor.Epoch, t.View.Heard.Epoch)
	}
	return t.View.Heard.Epoch
}

// hear learns from a heartbeat which record its sender stands on, and until
// when it can have arbiter authority. A newer position replaces what was known,
// for the same position the smaller bound stands, an older one is ignored.
func (t *turn) hear(m *Message) {
	v := &t.View
	at := Position{m.Epoch, m.Revision}
	free := t.now.Add(m.ArbiterLeft)
	switch {
	case at.After(v.Heard):
		passed := t.Write.passedBy(at, v.Top)
		t.seeEpoch(m.Epoch)
		v.Heard, v.Version = at, m.Version
		v.FreeAt, v.Since = free, t.now
		v.noteTop()
		t.noteHolder(m.Node, m.Session)
		switch {
		case passed:
			t.writeNeverApplies()
		case t.Write.Open:
			t.Read.Wanted = true // it may land yet: a read tells
		}
		t.knowThere()
	case at == v.Heard && v.Version != m.Version:
		// What was read was torn, its age too. The holder's own word is a bound.
		v.FreeAt, v.Version = free, m.Version
	case at == v.Heard:
		v.FreeAt = min(v.FreeAt, free)
	}
	if m.Session == v.Session {
		t.Vow.Contact = t.now
	}
}

// knowThere takes note that there is a record newer than any known. What was read
// beside an open create is doubted on: it may be from before the deletion, however
// often its holder renews it.
func (t *turn) knowThere() {
	t.View.AbsentSince = 0
	if !t.Write.creates() {
		t.View.OlderSince = 0
	}
}

// promise acknowledges, once the floor is on disk: an epoch acknowledged must
// never be forgotten.
func (t *turn) promise(m *Message) {
	t.raiseFloor(m.Epoch)
	t.Vow.Owed = Owed{
		Peer: m.Node, Session: m.Session, Epoch: m.Epoch, Seq: m.Seq,
		Until: t.now.Add(m.HeartbeatLease),
	}
	t.payOwed()
}

// payOwed gives the acknowledgement owed if nothing stands against it any more.
func (t *turn) payOwed() {
	o := t.Vow.Owed
	if o.Peer == "" || t.Floor.Saved < o.Epoch {
		return
	}
	t.Vow.Owed = Owed{}
	if t.Write.Open || t.Phase.Holds() || o.Epoch < t.highest() {
		return
	}
	t.Vow.Until = max(t.Vow.Until, o.Until)
	t.Vow.Made = true
	m := t.message(Ack)
	m.Seq, m.Epoch, m.Holder, m.Asking = o.Seq, o.Epoch, o.Session, true
	t.do(Action{Kind: DoSend, Peer: o.Peer, Message: m})
}

// reply returns an answer of the given kind to the heartbeat m.
func (t *turn) reply(kind MessageKind, m *Message) Message {
	a := t.message(kind)
	a.Seq, a.Epoch, a.Holder = m.Seq, m.Epoch, m.Session
	return a
}

func (t *turn) answer(kind MessageKind, m *Message) {
	t.do(Action{Kind: DoSend, Peer: m.Node, Message: t.reply(kind, m)})
}

// answerBusy refuses to promise and says which position the unresolved write
// expects; none if the reason is a missing floor.
func (t *turn) answerBusy(m *Message, expects Position) {
	a := t.reply(Busy, m)
	a.Epoch, a.Revision = expects.Epoch, expects.Revision
	t.do(Action{Kind: DoSend, Peer: m.Node, Message: a})
}
