package node_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

// reloaded is the pair's configuration with other leases.
func (c *cluster) reload(arbiterLease, heartbeatLease time.Duration) {
	for _, n := range c.nodes {
		if err := n.Reload(core.Config{
			ArbiterLease: arbiterLease, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: heartbeatLease, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
		}); err != nil {
			c.t.Fatal(err)
		}
	}
}

// TestReloadOfLeases: other leases are written into the record, change no
// leader, and decide how long the next failover takes.
func TestReloadOfLeases(t *testing.T) {
	for name, lease := range map[string]time.Duration{"longer": 5 * time.Second, "shorter": 1250 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, "a", "b")
				leader, epoch := c.leader(5 * time.Second)
				time.Sleep(5 * time.Second)
				before := c.store.Counts().Writes
				c.reload(20*time.Second, lease)
				time.Sleep(10 * time.Second)
				if l, e := c.leader(0); l != leader || e != epoch {
					t.Errorf("after a reload %s leads at %d, before %s at %d", l, e, leader, epoch)
				}
				if wrote := c.store.Counts().Writes - before; wrote != 1 {
					t.Errorf("a reload took %d writes, want 1", wrote)
				}
				for name, n := range c.nodes {
					if r := n.Status().Record; r.HeartbeatLease != lease || r.ArbiterLease != 20*time.Second {
						t.Errorf("%s knows the leases %s and %s, want %s and 20 s", name, r.HeartbeatLease, r.ArbiterLease, lease)
					}
				}
				killed := time.Now()
				c.kill(leader)
				c.leader(lease + time.Second)
				if took := time.Since(killed); took > lease+50*time.Millisecond || took < lease-600*time.Millisecond {
					t.Errorf("a failover took %s, want the reloaded lease of %s", took, lease)
				}
			})
		})
	}
}

// TestReloadWithoutAStore: leases that cannot be written do not take effect, and
// nobody fences for it.
func TestReloadWithoutAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		c.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Refuse(core.ErrUnavailable) })
		c.reload(20*time.Second, 5*time.Second)
		for range 60 {
			time.Sleep(time.Second)
			if l, e := c.leader(0); l != leader || e != epoch {
				t.Fatalf("%s leads at %d, want %s at %d", l, e, leader, epoch)
			}
		}
		killed := time.Now()
		c.kill(leader)
		c.store.Plan(nil)
		c.leader(3 * time.Second)
		if took := time.Since(killed); took > 1550*time.Millisecond {
			t.Errorf("a failover took %s: leases that were never written count", took)
		}
	})
}

// TestReloadRefusesWhatCannotWork, and goes on as before.
func TestReloadRefusesWhatCannotWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := alone(t, arbiter.NewStore(), nil)
		defer n.Abandon()
		for name, c := range map[string]core.Config{
			"nothing": {},
			"a margin as long as the lease": {
				ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
				HeartbeatLease: 500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
			},
		} {
			if err := n.Reload(c); err == nil || !strings.Contains(err.Error(), "timings that cannot work") {
				t.Errorf("%s: %v", name, err)
			}
		}
		time.Sleep(time.Minute)
		if epoch, err := n.Guard().Check(); err != nil || epoch != 1 {
			t.Errorf("epoch %d, %v; want to lead at 1 still", epoch, err)
		}
	})
}
