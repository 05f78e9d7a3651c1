package node

import (
	"time"

	"github.com/electd/electd/core"
)

// handler receives what the transport has for this election.
type handler struct{ n *Node }

// Deliver queues a message for the loop.
func (h handler) Deliver(m core.Message) {
	if ev, ok := core.Received(&m); ok {
		h.n.put(ev)
	}
}

// PeerUp queues the news that our connection to peer stands.
func (h handler) PeerUp(peer string) { h.n.put(core.Event{Kind: core.PeerUp, Peer: peer}) }

// PeerDown queues the news that our connection to peer broke.
func (h handler) PeerDown(peer string, _ error) {
	h.n.put(core.Event{Kind: core.PeerDown, Peer: peer})
}

// measure looks at an event in passing: how long a peer took to answer, and how
// far its wall clock is off.
func (n *Node) measure(now core.Instant, ev *core.Event) {
	m := ev.Message
	if m == nil {
		return
	}
	n.observer.Received(m.Node, m.Kind)
	switch m.Kind {
	case core.Heartbeat:
		if m.WallClock != 0 {
			n.observer.Offset(m.Node, time.Until(time.Unix(0, m.WallClock)), n.config.HeartbeatInterval)
		}
	case core.Ack, core.Busy, core.Stale:
		r := n.state.Lead.Rounds[m.Seq%uint64(len(n.state.Lead.Rounds))]
		if r.Seq != m.Seq || r.Sent == 0 || m.Holder != n.config.Session {
			return
		}
		took := now.Sub(r.Sent)
		n.observer.RoundTrip(m.Node, took)
		if m.WallClock != 0 {
			n.observer.Offset(m.Node, time.Until(time.Unix(0, m.WallClock))+took/2, took/2)
		}
	}
}
