// Package roster keeps, for one transport, who listens to which election and
// which peers its own connections stand to. It gives every transport the same
// answers to the delicate part of the Transport interface: nothing is
// delivered after stop, and ups and downs alternate.
package roster

import (
	"fmt"
	"sync"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
)

// Roster is empty and ready when zero. It is safe for concurrent use.
type Roster struct {
	turn sync.Mutex // orders Join, Up and Down among each other
	up   map[string]bool
	told map[string]bool // Down was reported since the last Up

	mu      sync.RWMutex
	members map[string]*member
}

// member is one joined election. Its lock is held while its handler runs, so
// that taking the lock in stop waits for a running call and forbids later ones.
type member struct {
	mu      sync.Mutex
	handler transport.Handler
	stopped bool
}

func (m *member) call(f func(transport.Handler)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.stopped {
		f(m.handler)
	}
}

// Join adds the handler of one election and reports the peers that are up to
// it. It panics if the election is joined already: two handlers would each
// believe to be the node's only voice. stop must not be called by the handler.
func (r *Roster) Join(election string, h transport.Handler) (stop func()) {
	r.turn.Lock()
	defer r.turn.Unlock()
	joined := &member{handler: h}
	r.mu.Lock()
	if r.members[election] != nil {
		r.mu.Unlock()
		panic(fmt.Sprintf("transport: election %q joined twice", election))
	}
	if r.members == nil {
		r.members = make(map[string]*member)
	}
	r.members[election] = joined
	r.mu.Unlock()
	for peer := range r.up {
		joined.call(func(h transport.Handler) { h.PeerUp(peer) })
	}
	return func() { r.leave(election, joined) }
}

func (r *Roster) leave(election string, m *member) {
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members[election] == m {
		delete(r.members, election)
	}
}

// Deliver hands m to its election and reports whether anyone listens to it.
func (r *Roster) Deliver(m core.Message) bool {
	r.mu.RLock()
	joined := r.members[m.Election]
	r.mu.RUnlock()
	if joined == nil {
		return false
	}
	joined.call(func(h transport.Handler) { h.Deliver(m) })
	return true
}

// Up tells every election that our own connection to peer stands, unless it
// was said already.
func (r *Roster) Up(peer string) {
	r.turn.Lock()
	defer r.turn.Unlock()
	if r.up[peer] {
		return
	}
	if r.up == nil {
		r.up = make(map[string]bool)
	}
	r.up[peer] = true
	delete(r.told, peer)
	r.each(func(h transport.Handler) { h.PeerUp(peer) })
}

// Down tells every election that our own connection to peer broke, or could
// not be made the first time, unless it was said already.
func (r *Roster) Down(peer string, why error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	if r.told[peer] {
		return
	}
	if r.told == nil {
		r.told = make(map[string]bool)
	}
	r.told[peer] = true
	delete(r.up, peer)
	r.each(func(h transport.Handler) { h.PeerDown(peer, why) })
}

func (r *Roster) each(f func(transport.Handler)) {
	r.mu.RLock()
	all := make([]*member, 0, len(r.members))
	for _, m := range r.members {
		all = append(all, m)
	}
	r.mu.RUnlock()
	for _, m := range all {
		m.call(f)
	}
}

// Silence ends all calls for good, as if every election had stopped.
func (r *Roster) Silence() {
	r.mu.Lock()
	all := r.members
	r.members = nil
	r.mu.Unlock()
	for _, m := range all {
		m.mu.Lock()
		m.stopped = true
		m.mu.Unlock()
	}
}
