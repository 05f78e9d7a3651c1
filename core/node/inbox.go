package node

import (
	"sync"

	"github.com/electd/electd/core"
)

// maxMessages bounds the messages waiting for the loop. More than that come
// only while the loop does not run; the protocol allows for their loss.
const maxMessages = 256

// inbox is the queue of events before the loop. Putting never blocks. Messages
// are dropped when too many wait; answers and commands never are.
type inbox struct {
	mu       sync.Mutex
	waiting  []core.Event
	messages int
	ready    chan struct{} // holds a token while something waits
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

func (b *inbox) put(ev core.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ev.Message != nil {
		if b.messages >= maxMessages {
			return
		}
		b.messages++
	}
	if (ev.Kind == core.RenewAsked || ev.Kind == core.Hinted) && b.has(ev.Kind) {
		return // saying it twice says no more
	}
	b.waiting = append(b.waiting, ev)
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *inbox) has(kind core.EventKind) bool {
	for i := range b.waiting {
		if b.waiting[i].Kind == kind {
			return true
		}
	}
	return false
}

// take moves what waits into the emptied buffer and returns it.
func (b *inbox) take(buffer []core.Event) []core.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	waiting := b.waiting
	b.waiting = buffer[:0]
	b.messages = 0
	return waiting
}
