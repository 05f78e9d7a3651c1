package core

// founds reports whether this node may be the founder of a new cluster: it never
// saw a record, nor heard of one.
func (t *turn) founds() bool { return !t.Floor.Known && t.View.Heard == (Position{}) }

// newCluster reports whether no node has a floor, by its own word. What it said
// before the record was found missing may have been overtaken by one that is
// deleted since (decision 0115).
func (t *turn) newCluster() bool {
	if !t.founds() {
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
		if p.Hello.Known && p.Hello.HasFloor || p.Connected && !t.answered(i) {
			return true
		}
	}
	return false
}

// answered reports whether a peer has said Hello in answer to what this node asks
// since the record is missing.
func (t *turn) answered(p int) bool {
	h := &t.Peers[p].Hello
	return h.Known && h.Answers == t.View.Question
}

// awaits reports whether a Hello of this peer is wanted: nothing is known of it,
// or a new cluster waits for its word.
func (t *turn) awaits(p int) bool {
	h := &t.Peers[p].Hello
	return !h.Known || t.View.AbsentSince != 0 && t.founds() && !h.HasFloor && !t.answered(p)
}

// certain reports whether this node can say if it has a floor: nothing that it has
// asked of the arbiter can give it one which comes from a record that is gone.
func (t *turn) certain() bool { return t.Read.Op == 0 && !t.Write.Open }

// askPeers says Hello to all, since this node has just looked and is certain, and
// asks those whose word a new cluster waits for.
func (t *turn) askPeers() {
	if !t.founds() {
		return
	}
	t.sendHelloToAll()
	for i := range t.c.Peers {
		if t.awaits(i) {
			t.introduce(i)
		}
	}
}
