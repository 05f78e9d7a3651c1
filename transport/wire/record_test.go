package wire

import (
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

const patience = time.Minute

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for over := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(over) {
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
	}
}

func beat(election string, seq uint64) core.Message {
	return core.Message{Kind: core.Heartbeat, Election: election, Node: "a", Session: "sa", Seq: seq}
}

// record is a handler that keeps messages and counts turns.
type record struct {
	mu       sync.Mutex
	messages []core.Message
	up, down int
}

func (r *record) Deliver(m core.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, m)
}

func (r *record) PeerUp(string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up++
}

func (r *record) PeerDown(string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down++
}

func (r *record) all() []core.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]core.Message(nil), r.messages...)
}

// last is the sequence number of the last message, 0 if there is none.
func (r *record) last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.messages) == 0 {
		return 0
	}
	return r.messages[len(r.messages)-1].Seq
}

func (r *record) ups() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up
}

func (r *record) downs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down
}

// pairOf opens a and b of a mesh, connected both ways; b has joined "e".
func pairOf(t *testing.T, m *mesh) (a, b *Transport, atB *record) {
	t.Helper()
	a, b = m.open(t, "a"), m.open(t, "b")
	eventually(t, "a and b are connected", func() bool { return a.Peers()[0].Connected && b.Peers()[0].Connected })
	atB = &record{}
	b.Join("e", atB)
	return a, b, atB
}
