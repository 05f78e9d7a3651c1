package core

// roundAt says when a holder sends its next heartbeats.
func (t *turn) roundAt() Instant {
	switch t.Phase {
	case Promoting, Leading, Fenced:
		if len(t.c.Peers) > 0 {
			return t.Lead.RoundAt
		}
	}
	return Never
}

// sendRound sends one heartbeat to every configured peer.
func (t *turn) sendRound() {
	l := &t.Lead
	l.Seq++
	r := Round{Seq: l.Seq, Sent: t.now, Lease: t.View.Record.HeartbeatLease, Asking: t.asking()}
	l.Rounds[l.Seq%uint64(len(l.Rounds))] = r
	l.RoundAt = t.now.Add(t.c.HeartbeatInterval)
	m := t.message(Heartbeat)
	m.Epoch, m.Revision, m.Version = t.View.Record.Epoch, t.View.Record.Revision, t.View.Version
	m.Seq, m.HeartbeatLease, m.Asking = r.Seq, r.Lease, r.Asking
	m.ArbiterLeft = max(0, t.boundUntil().Sub(t.now))
	for _, peer := range t.c.Peers {
		t.do(Action{Kind: DoSend, Peer: peer, Message: m})
	}
}

// boundUntil returns until when the electors have to reckon with authority from
// the arbiter: also with what a fence has given up, as long as the service it was
// for is not known to be over.
func (t *turn) boundUntil() Instant {
	if t.Lead.Service != Passive && t.Phase == Fenced {
		return max(t.Lead.ArbiterUntil, t.Lead.Ends)
	}
	return t.Lead.ArbiterUntil
}

// message returns a message with its envelope filled in.
func (t *turn) message(kind MessageKind) Message {
	return Message{
		Kind: kind, Election: t.c.Election,
		Node: t.c.Node, Identity: t.c.Identity, Session: t.c.Session,
	}
}

// asking says whether this round asks for promises. A fenced holder asks only
// while every elector answers, so that one who can send but not hear never
// holds a follower down; and never when promises could not bring it back, nor
// before its epoch is on disk.
func (t *turn) asking() bool {
	if t.Phase != Fenced {
		return true
	}
	if t.Lead.BeatsVoid || t.retakes() || !t.epochSaved() {
		return false
	}
	lease := t.View.Record.HeartbeatLease
	for i := range t.View.Record.Electors.Len {
		e := t.View.Record.Electors.List[i]
		if e == t.c.self() {
			continue
		}
		p := t.c.peer(e.Node)
		if p < 0 || t.Peers[p].Answered == 0 || t.now >= t.Peers[p].Answered.Add(lease) {
			return false
		}
	}
	return true
}

// countAck counts an elector's acknowledgement from when its round was sent.
func (t *turn) countAck(m *Message) {
	p := t.c.peer(m.Node)
	if p < 0 || m.Holder != t.c.Session || m.Epoch != t.View.Record.Epoch {
		return
	}
	e := Elector{m.Node, m.Identity}
	if !t.View.Record.Electors.Has(e) && !(t.Write.Open && t.Write.Proposal.Electors.Has(e)) {
		return
	}
	peer := &t.Peers[p]
	peer.Alive = t.now // whether or not this counts
	r := t.Lead.Rounds[m.Seq%uint64(len(t.Lead.Rounds))]
	if r.Seq != m.Seq || r.Sent == 0 {
		return // older than the rounds that could still matter, or from before a fence
	}
	if peer.Identity != m.Identity {
		peer.Identity, peer.Sent, peer.Answered = m.Identity, 0, 0
	}
	peer.Seq = max(peer.Seq, r.Seq)
	peer.Answered = max(peer.Answered, r.Sent)
	if r.Asking && m.Asking && r.Sent > peer.Sent {
		peer.Sent, peer.Lease = r.Sent, r.Lease
	}
	if r.Seq == t.Lead.Seq && t.now < r.Sent.Add(t.c.AckTimeout()) {
		peer.Reachable = true
	}
}

// countBusy treats Busy as silence. An elector whose unresolved write expects
// the very version that stands is helped by a renewal: it makes that write fail
// for ever.
func (t *turn) countBusy(m *Message) {
	p := t.c.peer(m.Node)
	if p < 0 || m.Holder != t.c.Session || !t.View.Record.Electors.Has(Elector{m.Node, m.Identity}) {
		return
	}
	t.silence(p)
	if (Position{m.Epoch, m.Revision}) == t.View.Record.Position() {
		t.Lead.RenewWanted = true
	}
}

// silenceAt says when a missing acknowledgement of the newest round counts.
func (t *turn) silenceAt() Instant {
	if !t.Phase.Holds() || t.Lead.Seq == 0 {
		return Never
	}
	newest := t.Lead.Rounds[t.Lead.Seq%uint64(len(t.Lead.Rounds))]
	if newest.Sent == 0 {
		return Never
	}
	for i := range t.c.Peers {
		if t.Peers[i].Reachable && t.Peers[i].Seq < newest.Seq {
			return newest.Sent.Add(t.c.AckTimeout())
		}
	}
	return Never
}

// missRound takes note of every peer that did not acknowledge the newest round.
func (t *turn) missRound() {
	for i := range t.c.Peers {
		if t.Peers[i].Seq < t.Lead.Seq {
			t.silence(i)
		}
	}
}

// silence takes note that a peer stopped acknowledging. The first time, the
// holder renews at once: its promises are about to run out.
func (t *turn) silence(p int) {
	if t.Peers[p].Reachable && t.View.Record.Electors.Identity(t.c.Peers[p]) != "" {
		t.Lead.RenewWanted = true
	}
	t.Peers[p].Reachable = false
}

// missPeer handles a broken connection: no acknowledgement will come on it.
func (t *turn) missPeer(node string) {
	p := t.c.peer(node)
	if p < 0 {
		return
	}
	t.Peers[p].Connected = false
	if t.Phase.Holds() {
		t.silence(p)
	}
}
