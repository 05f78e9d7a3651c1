package sim

import "github.com/electd/electd/core"

// network says which machine reaches which, and how messages fare. What is counted
// are the faults in the way.
type network struct {
	sends     []int   // by machine: of what it sends
	hears     []int   // by machine: of what is sent to it
	links     [][]int // between two machines
	flapping  int     // of those that come and go
	loss      int     // of 1000
	duplicate int
	delay     Time // longest extra delay
}

// conn is a node's own connection to a peer: the machine it found under the
// peer's name, and that machine's session.
type conn struct {
	up      bool
	machine uint8
	life    uint32
}

func (net *network) init(p *Plan) {
	net.loss = p.Network.Loss
	net.grow(len(p.Nodes))
}

// grow makes room for n machines. A new one does not reach those that are cut off.
func (net *network) grow(n int) {
	for len(net.links) < n {
		net.sends, net.hears, net.links = append(net.sends, 0), append(net.hears, 0), append(net.links, nil)
	}
	for i := range net.links {
		net.links[i] = append(net.links[i], make([]int, n-len(net.links[i]))...)
	}
}

func (net *network) open(from, to int) bool {
	return net.sends[from] == 0 && net.hears[to] == 0 && net.links[from][to] == 0
}

// open reports whether what one machine sends reaches the other just now.
func (w *World) open(from, to int) bool {
	return w.net.open(from, to) && (w.net.flapping == 0 || !w.flaps(from) && !w.flaps(to))
}

// flaps reports whether a fault that comes and goes cuts a machine off just now.
func (w *World) flaps(who int) bool {
	for i := range w.faults {
		f, r := &w.plan.Faults[i], &w.faults[i]
		if f.Kind != Flap || !r.active || r.victim.index != who {
			continue
		}
		period := w.plan.Timing.Interval * Time(2+f.Amount%7) / 4
		if w.now/period%2 == 0 {
			return true
		}
	}
	return false
}

// block cuts, or with -1 restores, what a machine sends, what it receives, or both.
func (net *network) block(who, by int, kind FaultKind) {
	if kind != Deaf {
		net.sends[who] += by
	}
	if kind != OneWay {
		net.hears[who] += by
	}
}

// blockLink cuts, or with -1 restores, the link between two machines.
func (net *network) blockLink(one, other, by int) {
	if one != other {
		net.links[one][other] += by
		net.links[other][one] += by
	}
}

// dial tries to connect a node to a peer; where two machines bear its name, to
// either of them.
func (w *World) dial(n *node, peer int, life uint32) {
	if !n.up || n.life != life || n.conns[peer].up {
		return
	}
	if n.pausedUntil > w.now {
		w.redial(n, peer, n.pausedUntil-w.now)
		return
	}
	to := w.machine(n.config.Peers[peer])
	if to == nil || !to.up || to.pausedUntil > w.now || !w.open(n.index, to.index) || !w.open(to.index, n.index) {
		w.redial(n, peer, w.plan.Timing.Interval/2)
		return
	}
	n.conns[peer] = conn{up: true, machine: uint8(to.index), life: to.life}
	w.step(n, core.Event{Kind: core.PeerUp, Peer: n.config.Peers[peer]})
}

func (w *World) redial(n *node, peer int, after Time) {
	w.queue.push(happening{at: w.now + after, kind: dials, node: uint8(n.index), peer: uint8(peer), life: n.life})
}

// machine returns a running machine with a node id, any of them if there are more.
func (w *World) machine(id string) *node {
	var found *node
	for _, m := range w.nodes {
		if m.config.Node == id && m.up && (found == nil || w.rng.IntN(2) == 0) {
			found = m
		}
	}
	return found
}

// broken tells a node that its connection is lost, and dials anew.
func (w *World) broken(n *node, peer int) {
	if !n.conns[peer].up {
		return
	}
	to := w.nodes[n.conns[peer].machine]
	if to.up && to.life == n.conns[peer].life && w.open(n.index, to.index) && w.open(to.index, n.index) {
		return // it recovered before the keepalive ran out
	}
	n.conns[peer] = conn{}
	w.redial(n, peer, w.plan.Timing.Interval/4)
	w.step(n, core.Event{Kind: core.PeerDown, Peer: n.config.Peers[peer]})
}

// keepalive is how long it takes to find out that nobody is there any more.
func (w *World) keepalive() Time { return 3 * w.plan.Timing.Interval }

// hangUp lets the peers of a dead session find out after a while.
func (w *World) hangUp(dead *node, after Time) {
	for _, n := range w.nodes {
		for p := range n.conns {
			if c := n.conns[p]; n.up && c.up && int(c.machine) == dead.index {
				w.queue.push(happening{at: w.now + after, kind: breaks, node: uint8(n.index), peer: uint8(p), life: n.life})
			}
		}
	}
}

// partitioned lets connections over a blocked link break when the keepalive
// runs out.
func (w *World) partitioned(who int) {
	for _, n := range w.nodes {
		for p := range n.conns {
			if c := n.conns[p]; n.up && c.up && (int(c.machine) == who || n.index == who) {
				w.queue.push(happening{
					at: w.now + w.keepalive(), kind: breaks, node: uint8(n.index), peer: uint8(p), life: n.life,
				})
			}
		}
	}
}

// send puts a message on its way: on the node's own connection, or, for an
// answer, on the one that the heartbeat came on.
func (w *World) send(n *node, peer string, m *core.Message) {
	var to *node
	var life uint32
	switch m.Kind {
	case core.Ack, core.Busy, core.Stale:
		to = w.asker(n, peer)
		if to == nil {
			return
		}
		life = to.life
	default:
		p := indexOf(n.config.Peers, peer)
		if p < 0 || !n.conns[p].up {
			return
		}
		to, life = w.nodes[n.conns[p].machine], n.conns[p].life
	}
	w.sent(n, m)
	m.WallClock = w.wall(n)
	if !w.open(n.index, to.index) || w.chance(w.net.loss) {
		return
	}
	w.post(to, life, m)
	if w.chance(w.net.duplicate) {
		w.post(to, life, m)
	}
}

// asker returns the machine whose heartbeat is being answered.
func (w *World) asker(n *node, id string) *node {
	if a := n.busy.asker; a != nil && a.config.Node == id && a.up {
		return a
	}
	return w.machine(id)
}

func (w *World) post(to *node, life uint32, m *core.Message) {
	ref, copy := w.messages.add()
	*copy = *m
	at := w.now + w.within(w.plan.Network.Latency[0], w.plan.Network.Latency[1])
	if w.net.delay > 0 {
		at += w.within(0, w.net.delay)
	}
	w.queue.push(happening{at: at, kind: arrives, node: uint8(to.index), life: life, ref: ref})
}

// arrive hands a message to the node it was sent to.
func (w *World) arrive(n *node, ref int32) {
	m := w.messages.all[ref]
	w.messages.free(ref)
	ev, ok := core.Received(&m)
	if !ok {
		w.fail("messages", "a message of kind %d", m.Kind)
		return
	}
	if m.Kind == core.Heartbeat {
		n.busy.asker = w.sender(&m)
	}
	n.told = true
	w.receives(n, &m)
	w.step(n, ev)
}

// sender returns the machine whose session sent a message.
func (w *World) sender(m *core.Message) *node {
	for _, n := range w.nodes {
		if n.config.Session == m.Session {
			return n
		}
	}
	return nil
}

// refused lets the sender of a message to a dead session find out.
func (w *World) refused(h *happening) {
	n := w.sender(&w.messages.all[h.ref])
	if n == nil || !n.up {
		return
	}
	for p := range n.conns {
		if c := n.conns[p]; c.up && c.machine == h.node && c.life == h.life {
			w.queue.push(happening{
				at: w.now + w.plan.Network.Latency[0], kind: breaks, node: uint8(n.index), peer: uint8(p), life: n.life,
			})
		}
	}
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}
