package core

// greet says Hello to a peer whose connection has just come up. A holder lets its
// next heartbeats go at once: what was sent before did not arrive.
func (t *turn) greet(node string) {
	p := t.c.peer(node)
	if p < 0 {
		return
	}
	t.Peers[p].Connected = true
	if t.awaits(p) {
		t.askHello(p)
	} else {
		t.sendHello(node)
	}
	if t.Phase.Holds() {
		t.Lead.RoundAt = t.now
	}
}

// awaits reports whether a Hello of this peer is wanted: nothing is known of it,
// for the connection may be older than this election is here, and what was said
// on it then was not heard; or a new cluster waits for its word.
func (t *turn) awaits(p int) bool {
	h := &t.Peers[p].Hello
	return !h.Known || t.View.AbsentSince != 0 && t.mayFound() && !h.HasFloor && !t.answered(p)
}

// sendHello says who and how this node is. To the leader it is also the knock
// of a node that is not an elector.
func (t *turn) sendHello(node string) {
	t.do(Action{Kind: DoSend, Peer: node, Message: t.hello()})
}

func (t *turn) sendHelloToAll() {
	for _, node := range t.c.Peers {
		t.sendHello(node)
	}
}

// askHello says Hello and asks for the same.
func (t *turn) askHello(p int) {
	m := t.hello()
	m.Asking, m.Seq = true, t.View.Question
	t.do(Action{Kind: DoSend, Peer: t.c.Peers[p], Message: m})
}

// answerHello answers a Hello that asks for one, under the number of the question
// only if this node is certain. Else it says Hello when it has looked, and is asked
// again.
func (t *turn) answerHello(asking *Message) {
	m := t.hello()
	m.Holder = asking.Session
	if t.certain() {
		m.Seq = asking.Seq
	}
	t.do(Action{Kind: DoSend, Peer: asking.Node, Message: m})
}

func (t *turn) hello() Message {
	m := t.message(Hello)
	m.Epoch, m.Revision = t.View.Heard.Epoch, t.View.Heard.Revision
	m.HasFloor, m.Floor = t.Floor.Known, t.Floor.Epoch
	m.Eligible = t.Standing.Eligible() && !t.Shutdown
	m.Paused, m.Priority = t.Standing.Paused, t.Standing.Priority
	m.APIAddress, m.Software = t.c.Addresses.API, t.c.Software
	return m
}

// noteGreeting remembers what a peer says of itself, answers if asked, and asks back
// if its word is still wanted. It reads for a record that is newer than any known; a
// holder looks at its electors anew.
func (t *turn) noteGreeting(m *Message) {
	p := t.c.peer(m.Node)
	if p < 0 {
		return
	}
	before := t.Peers[p].Hello
	g := before.after(m, t.c.Session)
	t.Peers[p].Hello = g
	if g.Heard != before.Heard && g.Heard.After(t.View.Top) {
		t.Read.Wanted = true // once for each: what it knows of may be gone
	}
	switch {
	case m.Asking:
		t.answerHello(m)
	case m.Holder == "" && t.awaits(p):
		t.askHello(p)
	}
	if t.Phase.Holds() {
		t.Lead.RosterAt = t.now
	}
}

// after returns what is known of a peer after a Hello to this session. What was
// once observed under a node id stays observed: another machine of that name, or one
// that lost its disk, does not make it unsaid.
func (g Greeting) after(m *Message, session string) Greeting {
	next := Greeting{
		Known: true, Identity: m.Identity, Floor: max(m.Floor, m.Epoch, g.Floor), Heard: g.Heard, Answers: g.Answers,
		Eligible: m.Eligible, Paused: m.Paused, Priority: m.Priority,
		API: m.APIAddress, Software: m.Software,
	}
	next.HasFloor = m.HasFloor || next.Floor > 0
	if at := (Position{m.Epoch, m.Revision}); at.After(g.Heard) {
		next.Heard = at
	}
	if m.Holder == session {
		next.Answers = max(g.Answers, m.Seq)
	}
	return next
}
