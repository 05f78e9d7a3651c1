package transporttest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
)

// listener is a Handler that keeps what it is told, in order.
type listener struct {
	mu       sync.Mutex
	messages []core.Message
	turns    []turn
	changed  chan struct{} // closed and replaced at every call
}

// turn is one PeerUp or PeerDown.
type turn struct {
	peer string
	up   bool
	why  error
}

func listen(t *testing.T, at transport.Transport, election string) *listener {
	t.Helper()
	l := &listener{changed: make(chan struct{})}
	t.Cleanup(at.Join(election, l))
	return l
}

func (l *listener) note(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *listener) Deliver(m core.Message) {
	l.note(func() { l.messages = append(l.messages, m) })
}
func (l *listener) PeerUp(peer string) {
	l.note(func() { l.turns = append(l.turns, turn{peer: peer, up: true}) })
}
func (l *listener) PeerDown(peer string, why error) {
	l.note(func() { l.turns = append(l.turns, turn{peer: peer, why: why}) })
}

// await waits until cond, which is called with the lock held, and fails the
// test if that takes longer than patience.
func (l *listener) await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !l.holds(patience, cond) {
		l.mu.Lock()
		defer l.mu.Unlock()
		t.Fatalf("waited %v in vain for %s; turns: %v; messages: %d", patience, what, l.turns, len(l.messages))
	}
}

// holds waits until cond, no longer than the given time.
func (l *listener) holds(within time.Duration, cond func() bool) bool {
	over := time.After(within)
	for {
		l.mu.Lock()
		ok, changed := cond(), l.changed
		l.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-over:
			return false
		}
	}
}

// heard and told are what came so far.
func (l *listener) heard() []core.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages)
}

func (l *listener) told() []turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.turns)
}

func (l *listener) awaitUp(t *testing.T, peer string) {
	t.Helper()
	l.await(t, peer+" to be up", func() bool { return l.isUp(peer) })
}

func (l *listener) awaitDown(t *testing.T, peer string) {
	t.Helper()
	l.await(t, peer+" to be down", func() bool { return l.isDown(peer) })
}

func (l *listener) isUp(peer string) bool {
	last, ok := l.last(peer)
	return ok && last.up
}

func (l *listener) isDown(peer string) bool {
	last, ok := l.last(peer)
	return ok && !last.up
}

func (l *listener) last(peer string) (turn, bool) {
	for i := len(l.turns) - 1; i >= 0; i-- {
		if l.turns[i].peer == peer {
			return l.turns[i], true
		}
	}
	return turn{}, false
}

func (l *listener) has(m core.Message) bool {
	for _, got := range l.messages {
		if got == m {
			return true
		}
	}
	return false
}

func (l *listener) awaitMessage(t *testing.T, m core.Message) {
	t.Helper()
	l.await(t, fmt.Sprintf("%+v", m), func() bool { return l.has(m) })
}
