package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/postgres/pgtest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/plugins"
)

// The test binary is also the plugin: started again with this variable set, it
// is what main makes of it.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func launch(ctx context.Context, url string) (core.Arbiter, error) {
	h, err := plugins.Launch(ctx, plugins.Spec{Name: "postgres", Self: []string{}, Env: []string{asPlugin + "=1"}})
	if err != nil {
		return nil, err
	}
	if err := h.Configure(ctx, plugins.Values{"url": url}); err != nil {
		_ = h.Close()
		return nil, err
	}
	return h.Arbiter(), nil
}

func TestConformanceAsPlugin(t *testing.T) {
	server := pgtest.Start(t)
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, server.URL()) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			proxy := pgtest.NewProxy(t, server.Address)
			a, err := launch(ctx, pgtest.URL(proxy.Address))
			return a, proxy.Faults(), err
		},
	})
}

// Without heartbeats a follower hears of a release by the arbiter's watch: long
// before its next look, which is a third of the lease away.
func TestReleaseIsHeardOf(t *testing.T) {
	server := pgtest.Start(t)
	nodes := map[string]*node.Node{}
	for _, name := range []string{"a", "b"} {
		arbiter, err := launch(t.Context(), server.URL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = arbiter.Close() })
		nodes[name] = elect(t, name, arbiter)
		await(t, "somebody leads", func() bool { return leads(nodes["a"]) })
	}
	a, b := nodes["a"], nodes["b"]
	await(t, "b follows a", func() bool { return b.Status().Leader == "a" })
	before := b.Status().Calls.Reads
	time.Sleep(2 * time.Second)
	if n := b.Status().Calls.Reads - before; n > 1 {
		t.Errorf("a follower that watches has read %d times in 2 s", n)
	}
	begun := time.Now()
	if err := a.StepDown(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	await(t, "b leads", func() bool { return leads(b) })
	took := time.Since(begun)
	t.Logf("from the release to the next leader: %s", took)
	if took > 2*time.Second {
		t.Errorf("it took %s: the watch was not heard", took)
	}
	if leads(a) {
		t.Error("both lead")
	}
}

func elect(t *testing.T, name string, arbiter core.Arbiter) *node.Node {
	t.Helper()
	n, err := node.Start(node.Config{
		Core: core.Config{
			Election: "orders", Node: name, Identity: "id-" + name, Session: name + "-1",
			ArbiterLease: 30 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
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

func leads(n *node.Node) bool { _, err := n.Guard().Check(); return err == nil }

// floors is a data directory in memory.
type floors struct{}

func (floors) SaveFloor(core.Epoch) error { return nil }

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
