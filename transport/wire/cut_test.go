package wire

import (
	"strings"
	"testing"
	"time"
)

// TestCutRefusesConnections cuts before there is any connection.
func TestCutRefusesConnections(t *testing.T) {
	const interval = 50 * time.Millisecond
	m := newMesh(t, "", interval, "a", "b")
	a := m.open(t, "a")
	defer a.Close()
	a.Cut("b", true)
	a.Cut("b", true)
	a.Cut("nobody", true)
	b := m.open(t, "b")
	defer b.Close()
	eventually(t, "b is refused", func() bool {
		err := b.Peers()[0].Err
		return err != nil && strings.Contains(err.Error(), errCut.Error())
	})
	eventually(t, "a says that it is cut", func() bool { return a.Peers()[0].Err == errCut })
	if c := b.Counters()[0]; c.Connects != 0 || !c.LastReceived.IsZero() {
		t.Errorf("counters behind a cut: %+v", c)
	}
	before := time.Now()
	a.Cut("b", false)
	a.Cut("b", false)
	eventually(t, "both connect", func() bool { return a.Peers()[0].Connected && b.Peers()[0].Connected })
	r := &record{}
	b.Join("e", r)
	a.Send("b", beat("e", 1))
	eventually(t, "a message arrives", func() bool { return r.last() == 1 })
	if c := b.Counters()[0]; c.Connects != 1 || c.Received != 1 || c.LastReceived.Before(before) {
		t.Errorf("counters: %+v", c)
	}
	if c := a.Counters()[0]; c.Node != "b" || c.Sent != 1 || c.FramesSent == 0 {
		t.Errorf("counters: %+v", c)
	}
}

// TestCloseDoesNotWaitForAStalledPeer closes while nothing passes and much is
// queued.
func TestCloseDoesNotWaitForAStalledPeer(t *testing.T) {
	m := newMesh(t, certificates(t, "a", "b"), time.Minute, "a", "b")
	a, b, _ := pairOf(t, m)
	m.Cut("a", "b")
	for i := range uint64(maxQueue) {
		a.Send("b", beat(strings.Repeat("x", 1+int(i)%1000), i))
	}
	began := time.Now()
	a.Close()
	b.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
}
