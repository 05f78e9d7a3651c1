package core

// mayFound reports whether this node may be the founder of a new cluster: it never
// saw a record, nor heard of one.
func (t *turn) mayFound() bool { return !t.Floor.Known && t.View.Heard == (Position{}) }

// newCluster reports whether every peer has answered, since this node found the
// record missing, that it has no floor. What a peer said before may be from before it
// read a record that is deleted by now (decision 0115).
func (t *turn) newCluster() bool {
	if !t.mayFound() {
		return false
	}
	for i := range t.c.Peers {
		if !t.answered(i) || t.Peers[i].Hello.HasFloor {
			return false
		}
	}
	return true
}

// anyPeerMayKnow reports whether a peer has a floor, or is at hand and has not said
// that it has none. A node that is cut off from all of them cannot tell.
func (t *turn) anyPeerMayKnow() bool {
	for i := range t.c.Peers {
		p := &t.Peers[i]
		if p.Hello.HasFloor || p.Connected && !t.answered(i) {
			return true
		}
	}
	return false
}

// answered reports whether a peer has said Hello in answer to what this node asks
// since the record was found missing.
func (t *turn) answered(p int) bool {
	asked := t.View.Question
	return asked != 0 && t.Peers[p].Hello.Answers == asked
}

// certain reports whether this node can say if it has a floor: no request is under
// way that may have looked, or created, before the record was deleted. A write that
// was answered, and is open still, is looked up: that shows what is there then.
func (t *turn) certain() bool { return t.Read.Op == 0 && t.Write.Op == 0 }

// askPeers tells all that this node has looked and is certain, and asks those whose
// word a new cluster waits for. What tells a peer to ask back is the plain Hello: if
// a question did, two nodes that are not certain would ask each other without end.
func (t *turn) askPeers() {
	if !t.mayFound() {
		return
	}
	t.sendHelloToAll()
	for i := range t.c.Peers {
		if t.awaits(i) {
			t.askHello(i)
		}
	}
}
