package wire

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// hearer counts the releases it hears of.
type hearer struct{ up, released atomic.Int64 }

func (h *hearer) Deliver(m core.Message) {
	if m.Kind == core.Released {
		h.released.Add(1)
	}
}
func (h *hearer) PeerUp(string)          { h.up.Add(1) }
func (h *hearer) PeerDown(string, error) {}

func TestCloseLetsTheLastWordArrive(t *testing.T) {
	for range 20 {
		addresses := map[string]string{"a": servers.FreeAddress(t), "b": servers.FreeAddress(t)}
		open := func(node, peer string) *Transport {
			w, err := New(Config{Node: node, Listen: addresses[node], Peers: []Peer{{Node: peer, Address: addresses[peer]}}, Insecure: true})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		a, b := open("a", "b"), open("b", "a")
		var ears, own hearer
		defer b.Join("e", &ears)()
		defer a.Join("e", &own)()
		for end := time.Now().Add(10 * time.Second); own.up.Load() == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		a.Send("b", core.Message{Kind: core.Released, Election: "e", Node: "a", Epoch: 1})
		a.Close()
		for end := time.Now().Add(time.Second); ears.released.Load() == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if got := ears.released.Load(); got != 1 {
			t.Fatalf("%d releases arrived, want 1: Close cut off what was sent just before", got)
		}
		b.Close()
	}
}
