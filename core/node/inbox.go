package node

import (
	"sync"

	"github.com/electd/electd/core"
)

// maxMessages bounds the messages waiting for a turn. More than that come only
// while the node does not run; the protocol allows for their loss.
const maxMessages = 256

// keptEvents is how many events an inbox holds room for while none waits.
const keptEvents = 4

// inbox is the queue of events before a node's turns, and knows whether one is
// under way. Putting never blocks. Messages are dropped when too many wait;
// answers and commands never are.
type inbox struct {
	mu       sync.Mutex
	waiting  []core.Event
	messages int
	turning  bool // somebody takes until nothing waits
	closed   bool

	turns sync.WaitGroup // under way: one at most
}

// put queues an event. If that is for the caller to see to, it returns true: a
// turn has begun, which the caller must have made.
func (b *inbox) put(ev core.Event) (begin bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if ev.Message != nil {
		if b.messages >= maxMessages {
			return false
		}
		b.messages++
	}
	b.waiting = append(b.waiting, ev)
	if b.turning {
		return false
	}
	b.turning = true
	b.turns.Add(1)
	return true
}

// take moves what waits into the emptied buffer and returns it. If nothing waits
// the turn is over.
func (b *inbox) take(buffer []core.Event) []core.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 || b.closed {
		b.turning = false
		b.turns.Done()
		return nil
	}
	buffer = append(buffer[:0], b.waiting...)
	clear(b.waiting)
	b.waiting = b.waiting[:0]
	if cap(b.waiting) > keptEvents {
		b.waiting = nil
	}
	b.messages = 0
	return buffer
}

// close lets nothing more in and waits for the end of a turn under way.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.turns.Wait()
}
