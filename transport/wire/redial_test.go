package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/internal/servers"
)

// TestDeadConnectionsAreReplaced is the cut after which no old connection
// comes back to life, nor any that was being made: a failed-over router has
// forgotten them.
func TestDeadConnectionsAreReplaced(t *testing.T) {
	const interval = 1500 * time.Millisecond
	dir := certificates(t, "a", "b")
	for _, length := range []time.Duration{interval / 10, interval / 2, interval * 7 / 4, 5*interval + 123*time.Millisecond} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			t.Parallel()
			m := newMesh(t, dir, interval, "a", "b")
			for _, p := range m.proxies {
				p.deadly.Store(true)
			}
			a, b, atB := pairOf(t, m)
			defer a.Close()
			defer b.Close()
			seq := uint64(0)
			beat := func() { seq++; a.Send("b", beat("e", seq)) }
			m.Cut("a", "b")
			for over := time.Now().Add(length); time.Now().Before(over); time.Sleep(interval / 40) {
				beat()
			}
			m.Heal("a", "b")
			healed, first := time.Now(), seq
			for beat(); atB.last() <= first; beat() {
				time.Sleep(interval / 40)
				if time.Since(healed) > patience {
					t.Fatal("no message after the heal")
				}
			}
			took := time.Since(healed)
			t.Logf("flowing again %v after the heal", took)
			if took > 2*interval+time.Second { // the second is the machine's
				t.Errorf("flowing again %v after the heal, want two intervals of %v", took, interval)
			}
		})
	}
}

// TestRedialPace dials a peer that is not there: about once an interval, for
// ever, and neither faster nor ever more slowly.
func TestRedialPace(t *testing.T) {
	const interval = 50 * time.Millisecond
	m := newMesh(t, "", interval, "a", "b")
	a := m.open(t, "a")
	defer a.Close()
	p := m.proxies[[2]string{"a", "b"}]
	time.Sleep(10 * interval)
	early := p.accepted()
	time.Sleep(20 * interval)
	late := p.accepted() - early
	if early > 11 {
		t.Errorf("%d attempts in 10 intervals", early)
	}
	if late > 21 || late < 7 { // a busy machine may take longer, but not three times
		t.Errorf("%d attempts in the next 20 intervals, want about 20", late)
	}
}

// TestIdleConnectionIsWatched cuts a connection on which no election says
// anything.
func TestIdleConnectionIsWatched(t *testing.T) {
	const interval = 100 * time.Millisecond
	m := newMesh(t, "", interval, "a", "b")
	a, b, atB := pairOf(t, m)
	defer a.Close()
	defer b.Close()
	time.Sleep(10 * interval)
	if c := a.Counters()[0]; c.Connects != 1 || atB.downs() != 0 {
		t.Errorf("an idle connection was made %d times, and reported down %d times", c.Connects, atB.downs())
	}
	m.Cut("a", "b")
	eventually(t, "a notices", func() bool { return !a.Peers()[0].Connected })
	eventually(t, "b notices", func() bool { return atB.downs() == 1 })
}

// TestPeerThatTakesNothing stalls in the middle of a connection: whatever is
// sent must neither block nor pile up.
func TestPeerThatTakesNothing(t *testing.T) {
	const interval = 5 * time.Minute // longer than the test: the connection stays
	m := newMesh(t, "", interval, "a", "b")
	a, b, _ := pairOf(t, m)
	defer a.Close()
	defer b.Close()
	m.Cut("a", "b")
	const many = 20 * maxQueue
	for i := range uint64(many) {
		a.Send("b", beat(fmt.Sprint(i), i))
		if i%1000 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	box := a.byNode["b"].out.current.Load()
	if box == nil {
		t.Fatal("the connection did not stay")
	}
	box.mu.Lock()
	live, slots := len(box.queue.places), len(box.queue.items)
	box.mu.Unlock()
	if live > maxQueue || slots > 2*maxQueue {
		t.Errorf("%d messages in %d slots wait, want at most %d", live, slots, maxQueue)
	}
	c := a.Counters()[0]
	if c.Dropped < many/2 {
		t.Errorf("%d of %d dropped: the rest went somewhere", c.Dropped, many)
	}
	m.Heal("a", "b")
	eventually(t, "the newest message arrives", func() bool {
		return b.Counters()[0].Received > 0 && a.Counters()[0].Sent+a.Counters()[0].Dropped == many
	})
}

// TestRareHeartbeats: a peer that starts a moment later is found long before the
// next heartbeat would be due.
func TestRareHeartbeats(t *testing.T) {
	address := servers.FreeAddress(t)
	open := func(c Config) *Transport {
		c.Insecure, c.Interval, c.Log = true, time.Hour, logger()
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	a := open(Config{Node: "a", Listen: "127.0.0.1:0", Peers: []Peer{{Node: "b", Address: address}}})
	defer a.Close()
	eventually(t, "a has dialled in vain", func() bool { return strings.Contains(fmt.Sprint(a.Peers()[0].Err), "refused") })
	b := open(Config{Node: "b", Listen: address, Peers: []Peer{{Node: "a", Address: a.Addr().String()}}})
	defer b.Close()
	eventually(t, "a finds b", func() bool { return a.Peers()[0].Connected })
}
