package core

// greet says Hello to a peer whose connection has just come up, and asks for the
// same if nothing is known of it: the connection may be older than this election
// is here, and what was said on it then was not heard. A holder lets
// its next heartbeats go at once: what was sent before did not arrive.
func (t *turn) greet(node string) {
	p := t.c.peer(node)
	if p < 0 {
		return
	}
	t.Peers[p].Connected = true
	t.introduce(p)
	if t.Phase.Holds() {
		t.Lead.RoundAt = t.now
	}
}

// introduce says Hello to a peer, and asks for the same where that is awaited.
func (t *turn) introduce(p int) {
	m := t.hello()
	if t.awaits(p) {
		m.Asking, m.Seq = true, t.View.Question
	}
	t.do(Action{Kind: DoSend, Peer: t.c.Peers[p], Message: m})
}

// sendAsked answers a Hello that asked for one.
func (t *turn) sendAsked(asking *Message) {
	m := t.hello()
	m.Holder = asking.Session
	if t.certain() {
		m.Seq = asking.Seq
	}
	t.do(Action{Kind: DoSend, Peer: asking.Node, Message: m})
}

// sendHello says who and how this node is. To the leader it is also the knock
// of a node that is not an elector.
func (t *turn) sendHello(node string) {
	t.do(Action{Kind: DoSend, Peer: node, Message: t.hello()})
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

func (t *turn) sendHelloToAll() {
	for _, node := range t.c.Peers {
		t.sendHello(node)
	}
}

// noteGreeting remembers what a peer says of itself, and answers if asked. A holder looks at its
// electors anew; whoever hears of a newer record than it knows reads; and whose word is still wanted is asked.
func (t *turn) noteGreeting(m *Message) {
	p := t.c.peer(m.Node)
	if p < 0 {
		return
	}
	before := t.Peers[p].Hello
	g := before.then(m, t.c.Session)
	t.Peers[p].Hello = g
	if g.Heard != before.Heard && g.Heard.After(t.View.Top) {
		t.Read.Wanted = true // once for each: what it knows of may be gone
	}
	switch {
	case m.Asking:
		t.sendAsked(m)
	case m.Holder == "" && t.awaits(p):
		t.introduce(p) // it may not have been certain when it was asked
	}
	if t.Phase.Holds() {
		t.Lead.RosterAt = t.now
	}
}

// then returns what is known of a peer after a Hello of it to this session. What was
// once observed under a node id stays observed: another machine of that name, or one
// that lost its disk, does not make it unsaid.
func (g Greeting) then(m *Message, session string) Greeting {
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

// stand takes note of this node's health, pause and priority, and tells peers.
func (t *turn) stand(s Standing) {
	if t.Standing == s {
		return
	}
	t.Standing = s
	t.sendHelloToAll()
}

func (t *turn) whyNotStanding() Reason {
	switch {
	case t.Shutdown:
		return BecauseShutdown
	case !t.Standing.Healthy:
		return BecauseUnhealthy
	}
	return BecauseStepDown
}

// leaveAt: a holder that is not healthy gives up as soon as it would on request.
// A pause does not depose a leader; it only keeps the node from standing.
func (t *turn) leaveAt() Instant {
	if t.Phase.Holds() && t.Phase != Releasing && !t.Standing.Healthy && t.refusal("") == "" {
		return t.now
	}
	return Never
}

// stepDown gives up leadership on request, to anyone or to a named node.
func (t *turn) stepDown(op OpID, target string) {
	if reason := t.refusal(target); reason != "" {
		t.refuse(op, reason)
		return
	}
	t.Lead.Answer = op
	t.beginRelease(t.stepDownBecause(target), target)
}

// handOver is a request that another node forwarded.
func (t *turn) handOver(target string) {
	if t.refusal(target) == "" {
		t.beginRelease(t.stepDownBecause(target), target)
	}
}

func (t *turn) stepDownBecause(target string) Reason {
	if target == "" {
		return BecauseStepDown
	}
	return BecauseHandOver
}

// refusal says why leadership cannot be given up as asked; empty if it can. Where
// the record names nobody else it can: whoever reads the vacant record may take.
func (t *turn) refusal(target string) Reason {
	switch {
	case target == "" && !t.View.Record.Open() && !t.anyCandidate():
		return NoCandidate
	case target != "" && !t.candidate(target):
		return NotACandidate
	}
	return ""
}

// candidate reports whether a peer is a reachable, eligible, unpaused elector.
func (t *turn) candidate(node string) bool {
	p := t.c.peer(node)
	if p < 0 {
		return false
	}
	h := &t.Peers[p].Hello
	return t.Peers[p].Reachable && h.Eligible && !h.Paused &&
		t.View.Record.Electors.Has(Elector{node, h.Identity})
}

func (t *turn) anyCandidate() bool {
	for _, node := range t.c.Peers {
		if t.candidate(node) {
			return true
		}
	}
	return false
}

// forwardStepDown passes an operator's request on to the leader.
func (t *turn) forwardStepDown(op OpID, target string) {
	if t.Phase != Following || t.View.Holder == "" || t.c.peer(t.View.Holder) < 0 {
		t.refuse(op, NotLeading)
		return
	}
	m := t.message(HandOver)
	m.Target = target
	t.do(Action{Kind: DoSend, Peer: t.View.Holder, Message: m})
	t.refuse(op, ForwardedToLeader)
}

// refuse answers a command that is not carried out here.
func (t *turn) refuse(op OpID, why Reason) {
	t.do(Action{Kind: DoAnswer, Op: op, Reason: why})
}
