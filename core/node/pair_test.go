package node_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
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

// cluster is a few nodes in one synctest bubble, on one store and one network.
type cluster struct {
	t       *testing.T
	store   *arbiter.Store
	network *network.Network
	names   []string
	nodes   map[string]*node.Node
	links   map[string]transport.Transport
	disks   map[string]*disk

	identities map[string]string // of machines that were replaced
	starts     int
}

// disk keeps what a data directory keeps.
type disk struct {
	mu       sync.Mutex
	floor    core.Epoch
	known    bool
	previous string
	hangs    chan struct{} // if not nil, until it is closed
}

func (d *disk) SaveFloor(e core.Epoch) error {
	if d.hangs != nil {
		<-d.hangs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.floor, d.known = max(d.floor, e), true
	return nil
}

func newCluster(t *testing.T, names ...string) *cluster {
	c := &cluster{
		t: t, store: arbiter.NewStore(), names: names,
		network: network.New(network.Config{Nodes: names, Interval: 500 * time.Millisecond, Link: network.Link{Delay: time.Millisecond}}),
		nodes:   map[string]*node.Node{}, links: map[string]transport.Transport{}, disks: map[string]*disk{}, identities: map[string]string{},
	}
	c.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Slow(5*time.Millisecond, 5*time.Millisecond) })
	for _, name := range names {
		c.disks[name] = &disk{}
		c.start(name)
	}
	t.Cleanup(func() {
		for name := range c.nodes {
			c.kill(name)
		}
	})
	return c
}

// start starts a session of a node, as its data directory and lock allow.
func (c *cluster) start(name string) *node.Node {
	c.starts++
	d := c.disks[name]
	session := fmt.Sprintf("%s-%d", name, c.starts)
	config := core.Config{
		Election: "orders", Node: name, Identity: cmp.Or(c.identities[name], "id-"+name), Session: session, Previous: d.previous,
		ArbiterLease: 30 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
		HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
	}
	for _, peer := range c.names {
		if peer != name {
			config.Peers = append(config.Peers, peer)
		}
	}
	d.previous = session
	c.links[name] = c.network.Node(name)
	n, err := node.Start(node.Config{
		Core: config, Standing: core.Standing{Healthy: true, Priority: 100},
		Floor: d.floor, FloorKnown: d.known,
		Arbiter: c.store.Client(name), Transport: c.links[name], Disk: d,
		Clock: node.ClockFromTime(), Random: rand.New(rand.NewPCG(1, uint64(c.starts))),
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.nodes[name] = n
	return n
}

// kill ends a node as a crash does.
func (c *cluster) kill(name string) {
	c.nodes[name].Abandon()
	c.links[name].Close()
	delete(c.nodes, name)
}

// leader waits until exactly one guard is open and returns its node and epoch.
func (c *cluster) leader(within time.Duration) (string, core.Epoch) {
	c.t.Helper()
	deadline := time.Now().Add(within)
	for {
		name, epoch := c.open()
		if name != "" {
			return name, epoch
		}
		if time.Now().After(deadline) {
			for name, n := range c.nodes {
				c.t.Logf("%s: %+v", name, n.Status())
			}
			c.t.Fatalf("nobody leads within %s", within)
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *cluster) open() (leader string, epoch core.Epoch) {
	c.t.Helper()
	for name, n := range c.nodes {
		if e, err := n.Guard().Check(); err == nil {
			if leader != "" {
				c.t.Fatalf("%s leads at epoch %d and %s at epoch %d", leader, epoch, name, e)
			}
			leader, epoch = name, e
		}
	}
	return leader, epoch
}

func (c *cluster) other(name string) string {
	for _, n := range c.names {
		if n != name {
			return n
		}
	}
	return ""
}

func TestPairHealthyNeedsNoStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		if epoch != 1 {
			t.Errorf("first epoch %d, want 1", epoch)
		}
		time.Sleep(5 * time.Second)
		before := c.store.Counts()
		time.Sleep(time.Hour)
		if after := c.store.Counts(); after != before {
			t.Errorf("a healthy hour took %+v requests, want none", arbiter.Counts{Reads: after.Reads - before.Reads, Writes: after.Writes - before.Writes})
		}
		if l, e := c.leader(0); l != leader || e != epoch {
			t.Errorf("after an hour %s leads at %d, before %s at %d", l, e, leader, epoch)
		}
	})
}

func TestPairFailsOverWithinTheHeartbeatLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(10*time.Second + 123*time.Millisecond)
		for round := range 5 {
			killed := time.Now()
			before := c.store.Counts()
			c.kill(leader)
			next, epoch := c.leader(3 * time.Second)
			took := time.Since(killed)
			if took > 1500*time.Millisecond+50*time.Millisecond {
				t.Errorf("failover %d took %s, want at most the heartbeat lease and 50 ms", round, took)
			}
			if want := core.Epoch(round + 2); epoch != want {
				t.Errorf("epoch %d after failover %d, want %d", epoch, round, want)
			}
			if got := c.store.Counts().Writes - before.Writes; got != 1 {
				t.Errorf("failover %d took %d writes, want 1", round, got)
			}
			c.start(leader)
			leader = next
			time.Sleep(10 * time.Second)
		}
	})
}

func TestPairStepDownAndHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		for _, target := range []string{"", "named", "", "named"} {
			if target == "named" {
				target = c.other(leader)
			}
			start := time.Now()
			if err := c.nodes[leader].StepDown(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			next, _ := c.leader(time.Second)
			if took := time.Since(start); next == leader || took > 50*time.Millisecond {
				t.Errorf("stepping down to %q: %s leads after %s", target, next, took)
			}
			leader = next
			time.Sleep(5 * time.Second)
		}
		if err := c.nodes[c.other(leader)].StepDown(t.Context(), ""); !errors.Is(err, node.ErrForwarded) {
			t.Errorf("stepping down at a follower: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
		if next, _ := c.leader(time.Second); next == leader {
			t.Errorf("a forwarded step-down left %s leading", leader)
		}
	})
}

// TestPairKeepsItsLeaderWhenAskedToStepDownWithoutAStore: it would stop its service,
// and nobody could take.
func TestPairKeepsItsLeaderWhenAskedToStepDownWithoutAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		c.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		for _, asked := range []string{leader, c.other(leader)} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			err := c.nodes[asked].StepDown(ctx, "")
			cancel()
			if err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "nothing has changed") {
				t.Errorf("%s, asked while the store is down: %v", asked, err)
			}
			time.Sleep(5 * time.Second)
			if l, e := c.leader(0); l != leader || e != epoch {
				t.Fatalf("%s leads at %d, want %s at %d", l, e, leader, epoch)
			}
		}
		c.store.Plan(nil)
		if err := c.nodes[leader].StepDown(t.Context(), ""); err != nil {
			t.Errorf("with the store back: %v", err)
		}
	})
}

func TestPairKeepsItsLeaderWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		c.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		for range 600 {
			time.Sleep(time.Second)
			if l, e := c.leader(0); l != leader || e != epoch {
				t.Fatalf("%s leads at %d, want %s at %d", l, e, leader, epoch)
			}
		}
	})
}

func TestPairLinkDownKeepsTheLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		c.network.Cut("a", "b")
		c.network.Cut("b", "a")
		before := c.store.Counts()
		for range 300 {
			time.Sleep(time.Second)
			if l, e := c.leader(0); l != leader || e != epoch {
				t.Fatalf("%s leads at %d, want %s at %d", l, e, leader, epoch)
			}
		}
		spent := c.store.Counts()
		t.Logf("five minutes without a link took %d writes and %d reads", spent.Writes-before.Writes, spent.Reads-before.Reads)
		if writes := spent.Writes - before.Writes; writes > 50 {
			t.Errorf("%d writes in 5 minutes", writes)
		}
		c.network.Heal("a", "b")
		c.network.Heal("b", "a")
		time.Sleep(5 * time.Second)
		killed := time.Now()
		c.kill(leader)
		c.leader(3 * time.Second)
		if took := time.Since(killed); took > 1550*time.Millisecond {
			t.Errorf("after a healed blip a failover took %s", took)
		}
	})
}

func TestShutdownReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		if err := c.nodes[leader].Stop(ctx); err != nil {
			t.Fatal(err)
		}
		c.leader(time.Second)
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("after a shutdown the next leader took %s", took)
		}
	})
}

// A node that joins must not interrupt a leader that stands on heartbeats alone.
func TestJoiningDoesNotInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b", "c")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		var gone string
		for _, name := range c.names {
			if name != leader {
				gone = name
			}
		}
		// The machine is replaced: another identity under the same node id.
		c.kill(gone)
		time.Sleep(40 * time.Second)
		leader, epoch := c.leader(0)
		*c.disks[gone] = disk{}
		c.identities[gone] = "id-new-" + gone
		c.start(gone)
		before := c.store.Counts()
		for range 20000 {
			time.Sleep(time.Millisecond)
			if l, e := c.open(); l != leader || e != epoch {
				t.Fatalf("while a node joins %q leads at epoch %d, want %s at %d without a break", l, e, leader, epoch)
			}
		}
		status := c.nodes[leader].Status()
		if got := status.Record.Electors.Identity(gone); got != "id-new-"+gone {
			t.Errorf("%s is an elector as %q", gone, got)
		}
		if status.Arbiter != 0 {
			t.Errorf("20 s after the joining the leader still stands on the arbiter's lease: %s", status.Arbiter)
		}
		if wrote := c.store.Counts().Writes - before.Writes; wrote > 3 {
			t.Errorf("joining took %d writes", wrote)
		}
	})
}
