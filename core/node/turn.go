package node

import (
	"math"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// put queues an event and sees to it that it is handled. It never blocks.
func (n *Node) put(ev core.Event) {
	if n.inbox.put(ev) {
		go n.turn()
	}
}

// tick is the alarm clock: it is run by the timer, in a goroutine of its own.
func (n *Node) tick() {
	if n.inbox.put(core.Event{Kind: core.Ticked}) {
		n.turn()
	}
}

// space is what a turn needs room for. Turns borrow it from each other: a
// thousand elections have a few under way at a time.
type space struct {
	events  []core.Event
	actions []core.Action
}

var spaces = sync.Pool{New: func() any { return &space{} }}

// turn handles what waits until nothing does. One runs at a time, and nobody but
// it steps; between turns a node is only memory.
func (n *Node) turn() {
	s := spaces.Get().(*space)
	for {
		events := n.inbox.take(s.events[:0])
		if len(events) == 0 {
			break
		}
		s.events = events
		for i := range s.events {
			s.actions = n.step(&s.events[i], s.actions[:0])
			n.perform(n.ctx, s.actions)
			if n.settled() {
				n.signalIdle()
			}
		}
		clear(s.events)
		clear(s.actions[:cap(s.actions)])
		n.timer.Reset(n.sleep())
	}
	spaces.Put(s)
}

// sleep is how long a node may wait for an event. A broken election has nothing
// to wait for. A holder looks at the clock once an interval at least: the timer
// stands still while the machine is suspended, the deadlines do not.
func (n *Node) sleep() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch left := n.state.Next.Sub(n.clock()); {
	case n.broken != nil:
		return math.MaxInt64
	case n.state.Phase.Holds():
		return min(left, n.config.HeartbeatInterval)
	default:
		return left
	}
}
