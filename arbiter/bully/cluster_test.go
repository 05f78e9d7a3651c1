package bully

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(roleVariable); config != "" {
		voteUntilKilled(config)
		return
	}
	// Most of the time these tests wait for each other's silence.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// cluster is a set of voters in this process, each on its own port and disk.
type cluster struct {
	t       *testing.T
	dir     string
	voters  []string
	address map[string]string
	config  func(*Config) // further settings, for every node
	nodes   map[string]*Arbiter
	joiners atomic.Int64
	wall    wall
	running []*exec.Cmd
}

func newCluster(t *testing.T, n int) *cluster {
	c := &cluster{t: t, dir: t.TempDir(), address: map[string]string{}, nodes: map[string]*Arbiter{}, config: func(*Config) {}}
	for i := range n {
		node := string(rune('a' + i))
		c.voters = append(c.voters, node)
		c.address[node] = servers.FreeAddress(t)
	}
	t.Cleanup(c.stopAll)
	return c
}

func (c *cluster) configOf(node string) Config {
	config := Config{
		Voters: c.voters, Node: node, DataDir: filepath.Join(c.dir, node), VoteListen: c.address[node],
		Addresses: maps.Clone(c.address), Bind: gossipOff, Insecure: true, Profile: "fast", AllowSmall: true, log: quiet(),
	}
	if c.address[node] == "" {
		config.DataDir, config.VoteListen = "", ""
	}
	config.way = func(e electors) electors {
		return &walled{electors: e, wall: &c.wall, node: node, voter: func(i int) string { return c.voters[i] }}
	}
	c.config(&config)
	return config
}

// quiet logs only where ELECTD_TEST_LOG asks for it.
func quiet() *slog.Logger {
	if os.Getenv("ELECTD_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (c *cluster) start(nodes ...string) {
	c.t.Helper()
	for _, node := range nodes {
		a, err := New(c.t.Context(), c.configOf(node))
		if err != nil {
			c.t.Fatalf("start %s: %v", node, err)
		}
		c.nodes[node] = a
	}
}

func (c *cluster) stop(nodes ...string) {
	c.t.Helper()
	for _, node := range nodes {
		if err := c.nodes[node].Close(); err != nil {
			c.t.Errorf("stop %s: %v", node, err)
		}
		delete(c.nodes, node)
	}
}

func (c *cluster) stopAll() {
	for node := range c.nodes {
		c.stop(node)
	}
}

// ready waits until all running voters are admitted.
func (c *cluster) ready() {
	c.t.Helper()
	eventually(c.t, "all voters are admitted", func() error {
		for node, a := range c.nodes {
			if _, err := a.belongsTo(); err != nil {
				return fmt.Errorf("%s: %w", node, err)
			}
		}
		return nil
	})
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	var err error
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatalf("not after 20 s: %s: %v", what, err)
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func (c *cluster) swap(node, key string, expected core.Version, record string) (core.Version, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
	defer cancel()
	return c.nodes[node].CompareAndSwap(ctx, core.Swap{Key: key, Expected: expected, Record: []byte(record)})
}

func (c *cluster) read(node, key string) (core.Snapshot, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
	defer cancel()
	return c.nodes[node].Read(ctx, key)
}

// mustSwap swaps until the outcome is known to be applied, as the core would.
func (c *cluster) mustSwap(node, key string, expected core.Version, record string) core.Version {
	c.t.Helper()
	v, err := c.swap(node, key, expected, record)
	if err != nil {
		c.t.Fatalf("%s swaps %s: %v", node, key, err)
	}
	return v
}

func (c *cluster) expect(node, key, record string, version core.Version) {
	c.t.Helper()
	s, err := c.read(node, key)
	if err != nil || string(s.Record) != record || s.Version != version {
		c.t.Fatalf("%s reads %q version %q, %v; want %q version %q", node, s.Record, s.Version, err, record, version)
	}
}
