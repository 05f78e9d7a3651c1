package wire

import (
	"errors"
	"time"

	pb "github.com/electd/electd/transport/wire/wirepb"
)

// receive hands over the messages of one frame from p.
func (t *Transport) receive(p *peer, frame *pb.Frame) {
	p.counters.framesReceived.Add(1)
	p.counters.lastReceived.Store(time.Now().UnixNano())
	for _, raw := range frame.GetMessages() {
		m, err := decode(raw)
		switch {
		case errors.Is(err, errKind):
			p.counters.refused.Add(1)
		case err != nil:
			p.counters.refused.Add(1)
			t.quiet.warn("malformed "+p.node, "malformed message dropped", "peer", p.node, "why", err.Error())
		case m.Node != p.node:
			p.counters.refused.Add(1)
			t.quiet.warn("impostor "+p.node, "message dropped: its sender calls itself by another node's id than its connection proves", "peer", p.node, "claimed", m.Node)
		default:
			p.counters.received.Add(1)
			t.roster.Deliver(m)
		}
	}
}
