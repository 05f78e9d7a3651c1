package core

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
