// Package handover lets two nodes without heartbeats hand an election to each
// other through an arbiter, for tests and benchmarks of arbiters that watch.
package handover

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// lease is long: a next look, a third of it away, cannot be mistaken for what a
// watch has told.
const lease = 30 * time.Second

// pair is two nodes, the leader first.
type pair [2]*node.Node

// start elects one of two nodes, each on a client of its own.
func start(t testing.TB, open func(context.Context) (core.Arbiter, error)) pair {
	t.Helper()
	var p pair
	for i, name := range []string{"a", "b"} {
		arbiter, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = arbiter.Close() })
		p[i] = elect(t, name, arbiter)
		await(t, "a leads", func() bool { return leads(p[0]) })
	}
	await(t, "b follows a", func() bool { return p[1].Status().Leader == "a" })
	return p
}

func elect(t testing.TB, name string, arbiter core.Arbiter) *node.Node {
	t.Helper()
	n, err := node.Start(node.Config{
		Core: core.Config{
			Election: "orders", Node: name, Identity: "id-" + name, Session: name + "-1",
			ArbiterLease: lease, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
		},
		Standing: core.Standing{Healthy: true, Priority: 100},
		Arbiter:  arbiter, Disk: floors{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Abandon)
	return n
}

// release has the leader step down, and returns how long it took from its release
// until the other one's guard was open.
func (p *pair) release(t testing.TB) time.Duration {
	t.Helper()
	if err := p[0].StepDown(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	released := time.Now()
	for deadline := released.Add(time.Minute); !leads(p[1]); time.Sleep(200 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody took over")
		}
	}
	took := time.Since(released)
	if leads(p[0]) {
		t.Fatal("both lead")
	}
	p[0], p[1] = p[1], p[0]
	return took
}

// Heard examines an arbiter that watches: a follower hears of a release long before
// its next look, and looks no more often than every third of the lease meanwhile.
func Heard(t *testing.T, open func(context.Context) (core.Arbiter, error)) {
	p := start(t, open)
	before := p[1].Status().Calls.Reads
	time.Sleep(2 * time.Second)
	if n := p[1].Status().Calls.Reads - before; n > 1 {
		t.Errorf("a follower that watches has read %d times in 2 s of a lease of %s", n, lease)
	}
	took := p.release(t)
	t.Logf("from the release to the next leader: %s", took)
	if took > 2*time.Second {
		t.Errorf("it took %s: the watch was not heard", took)
	}
}

// Measure benchmarks the time from a release to the next leader's open guard.
func Measure(b *testing.B, open func(context.Context) (core.Arbiter, error)) {
	p := start(b, open)
	var took []time.Duration
	for b.Loop() {
		took = append(took, p.release(b))
		me := p[1] // has just given up, and must follow before it can be asked to lead
		await(b, "the one that gave up follows", func() bool { return me.Status().Leader != "" })
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

func leads(n *node.Node) bool { _, err := n.Guard().Check(); return err == nil }

// floors is a data directory in memory.
type floors struct{}

// SaveFloor does nothing.
func (floors) SaveFloor(core.Epoch) error { return nil }

func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
