package agent

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport"
	network "github.com/electd/electd/transport/memory"
)

func TestBelieved(t *testing.T) {
	for _, c := range []struct {
		name   string
		status node.Status
		want   string
	}{
		{"a leader", node.Status{Node: "a", Leader: "a", Phase: core.Leading, Leading: true}, "a"},
		{"a leader whose guard the clock has shut", node.Status{Node: "a", Leader: "a", Phase: core.Leading}, ""},
		{"fenced", node.Status{Node: "a", Leader: "a", Phase: core.Fenced}, ""},
		{"promoting", node.Status{Node: "a", Leader: "a", Phase: core.Promoting}, ""},
		{"a follower", node.Status{Node: "a", Leader: "b", Phase: core.Following, FreeIn: time.Second}, "b"},
		{"a follower after the leader's lease", node.Status{Node: "a", Leader: "b", Phase: core.Following}, ""},
		{"a follower of its own former session", node.Status{Node: "a", Leader: "a", Phase: core.Following, FreeIn: time.Second}, ""},
		{"taking", node.Status{Node: "a", Leader: "b", Phase: core.Taking}, ""},
	} {
		if got := believed(c.status); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// disk keeps a floor in memory.
type disk struct {
	mu    sync.Mutex
	floor core.Epoch
	known bool
}

func (d *disk) SaveFloor(e core.Epoch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.floor, d.known = max(d.floor, e), true
	return nil
}

// member is a node that can be killed and started again.
type member struct {
	name   string
	config core.Config
	disk   disk
	node   *node.Node
	link   transport.Transport
	starts int
}

// word is what a node said of who leads, and until when that was to be relied on.
type word struct {
	by, leader string
	said       time.Time
	until      time.Time
	status     node.Status
}

// world is a few nodes in one bubble, and all that they have said.
type world struct {
	t       *testing.T
	random  *rand.Rand
	store   *arbiter.Store
	network *network.Network
	members []*member
	words   []word
	leaders map[string]bool
}

func (w *world) start(m *member) {
	m.starts++
	m.config.Session = fmt.Sprintf("%s-%d", m.name, m.starts)
	m.link = w.network.Node(m.name)
	n, err := node.Start(node.Config{
		Core: m.config, Standing: core.Standing{Healthy: true, Priority: 100}, Floor: m.disk.floor, FloorKnown: m.disk.known,
		Arbiter: w.store.Client(m.name), Transport: m.link, Disk: &m.disk, Clock: node.ClockFromTime(),
		Random: rand.New(rand.NewPCG(w.random.Uint64(), 1)),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	m.node = n
}

func (w *world) kill(m *member) {
	m.node.Abandon()
	m.link.Close()
	m.node = nil
}

// fault breaks something, or mends everything.
func (w *world) fault() {
	m, other := w.members[w.random.IntN(len(w.members))], w.members[w.random.IntN(len(w.members))]
	switch w.random.IntN(6) {
	case 0:
		if m.node != nil {
			w.kill(m)
		}
	case 1, 2:
		if m != other {
			w.network.Cut(m.name, other.name)
		}
	case 3:
		w.store.Plan(func(c arbiter.Call) arbiter.Fate {
			if c.Client == m.name {
				return arbiter.Drop()
			}
			return arbiter.Slow(2*time.Millisecond, 20*time.Millisecond)
		})
	default:
		w.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Slow(2*time.Millisecond, 2*time.Millisecond) })
		for _, a := range w.members {
			if a.node == nil {
				w.start(a)
			}
			for _, b := range w.members {
				if a != b {
					w.network.Heal(a.name, b.name)
				}
			}
		}
	}
}

// look notes what every node says, and holds whoever leads against all that was
// said before.
func (w *world) look() {
	now := time.Now()
	for _, m := range w.members {
		if m.node == nil {
			continue
		}
		if _, err := m.node.Guard().Check(); err == nil {
			w.leaders[m.name] = true
			for _, said := range w.words {
				if said.leader != m.name && now.Before(said.until) {
					w.t.Fatalf("%s leads, but %s said %s ago that %s leads for %s: %+v", m.name, said.by, now.Sub(said.said), said.leader, said.until.Sub(said.said), said.status)
				}
			}
		}
		s := m.node.Status()
		if leader, valid := believed(s), validFor(s, m.config); leader != "" && valid > 0 {
			w.words = append(w.words, word{m.name, leader, now, now.Add(valid), s})
		}
	}
	if len(w.words) > 2000 { // none is good for so long
		w.words = append(w.words[:0], w.words[1000:]...)
	}
}

// TestAWordIsKept: whatever breaks, nobody leads while another node's word that
// somebody else does is still good. Waivers, renewals, changes of the electors and
// restarts all come to pass.
func TestAWordIsKept(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1 // the race detector takes ten times as long
	}
	for _, names := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%d nodes, seed %d", len(names), seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { keepWord(t, names, seed) })
			})
		}
	}
}

func keepWord(t *testing.T, names []string, seed uint64) {
	w := &world{
		t: t, random: rand.New(rand.NewPCG(seed, 7)), store: arbiter.NewStore(), leaders: map[string]bool{},
		network: network.New(network.Config{Nodes: names, Interval: 500 * time.Millisecond, Link: network.Link{Delay: time.Millisecond}, Seed: seed}),
	}
	for _, name := range names {
		m := &member{name: name, config: core.Config{
			Election: "orders", Node: name, Identity: "id-" + name,
			ArbiterLease: 10 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
		}}
		for _, peer := range names {
			if peer != name {
				m.config.Peers = append(m.config.Peers, peer)
			}
		}
		w.members = append(w.members, m)
		w.start(m)
	}
	defer func() {
		for _, m := range w.members {
			if m.node != nil {
				w.kill(m)
			}
		}
	}()
	next := time.Now().Add(5 * time.Second)
	length := 3 * time.Minute
	if os.Getenv("ELECTD_SOAK") != "" {
		length = 3 * time.Hour
	}
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		w.look()
		if time.Now().After(next) {
			w.fault()
			next = time.Now().Add(time.Duration(w.random.IntN(3000)) * time.Millisecond)
		}
	}
	if len(w.leaders) < 2 {
		t.Errorf("only %v ever led: nothing was tried", w.leaders)
	}
}
