package wire

import (
	"sync/atomic"
	"time"
)

// Counters are the figures of one peer since the start, both connections
// together.
type Counters struct {
	Node           string
	Connects       uint64 // how often our own connection came to stand
	FramesSent     uint64
	FramesReceived uint64
	Sent           uint64    // messages
	Received       uint64    // messages delivered, or for an election not joined here
	Dropped        uint64    // messages of ours not sent: peer away, or replaced by newer ones
	Refused        uint64    // messages of the peer's not accepted: wrong sender, malformed, unknown kind
	LastReceived   time.Time // wall clock; zero: nothing yet
}

type counters struct {
	connects, framesSent, framesReceived, sent, received, dropped, refused atomic.Uint64
	lastReceived                                                           atomic.Int64 // Unix ns
}

func (c *counters) read(node string) Counters {
	r := Counters{
		Node:           node,
		Connects:       c.connects.Load(),
		FramesSent:     c.framesSent.Load(),
		FramesReceived: c.framesReceived.Load(),
		Sent:           c.sent.Load(),
		Received:       c.received.Load(),
		Dropped:        c.dropped.Load(),
		Refused:        c.refused.Load(),
	}
	if at := c.lastReceived.Load(); at != 0 {
		r.LastReceived = time.Unix(0, at)
	}
	return r
}
