package bully

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// gossiping makes the cluster's nodes find each other by gossip alone: no
// addresses are configured, only two nodes to join.
func (c *cluster) gossiping() {
	var join []string
	ports := map[string]string{}
	for _, node := range c.voters {
		ports[node] = servers.FreeAddress(c.t)
		join = append(join, ports[node])
	}
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	c.config = func(config *Config) {
		config.Addresses, config.Join, config.GossipKey = nil, join[:2], key
		if config.Bind = ports[config.Node]; config.Bind == "" {
			config.Bind = servers.FreeAddress(c.t) // nobody's port before: its gossip would go on
		}
		config.Suitability = int(config.Node[0])
	}
}

func TestNodesFindEachOtherByGossip(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.gossiping()
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	v := c.mustSwap("a", lease, "", "one")
	c.expect("c", lease, "one", v)

	joiner, err := c.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = joiner.Close() }()
	s, err := joiner.Read(within(t, 5*time.Second), lease)
	if err != nil || s.Version != v {
		t.Fatalf("the joiner reads %+v, %v", s, err)
	}
}

// A voter comes back at another port; gossip tells the others.
func TestVoterMovesToAnotherAddress(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.gossiping()
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")
	c.stop("b", "c")
	c.address["c"] = "127.0.0.1:0"
	c.start("c")
	eventually(t, "a reaches c where it is now", func() error {
		_, err := c.nodes["a"].CompareAndSwap(within(t, time.Second), core.Swap{Key: lease, Expected: v, Record: []byte("two")})
		if core.WriteOutcome(err) == core.Unknown {
			t.Fatal(err)
		}
		return err
	})
}

// Followers hear of a release, by a direct message, long before they would look.
func TestWatchersHearAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch, err := c.nodes["c"].Watch(ctx, lease)
	if err != nil {
		t.Fatal(err)
	}
	var v core.Version
	for n := range 5 {
		record := fmt.Sprint("write ", n)
		v = c.mustSwap("a", lease, v, record)
		select {
		case s := <-watch:
			if s.Version != v || string(s.Record) != record {
				t.Fatalf("watched %+v, want %s", s, v)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("no hint")
		}
	}
	cancel()
	if s, open := <-watch; open {
		t.Errorf("the watch goes on with %+v", s)
	}
}

func TestWatchEndsWithTheArbiter(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	watch, err := c.nodes["b"].Watch(t.Context(), lease)
	if err != nil {
		t.Fatal(err)
	}
	c.stop("b")
	if _, open := <-watch; open {
		t.Error("the watch outlives its arbiter")
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	report, err := c.nodes["a"].Probe(within(t, 20*time.Second), "probe")
	if err != nil || report.Worst() > core.Noted {
		t.Errorf("three voters that are up: %+v, %v", report, err)
	}
	c.stop("c")
	report, err = c.nodes["a"].Probe(within(t, 20*time.Second), "probe")
	if err != nil || report.Worst() != core.Warned {
		t.Errorf("one of three is down: %+v, %v", report, err)
	}
	c.stop("b")
	report, err = c.nodes["a"].Probe(within(t, 20*time.Second), "probe")
	if err != nil || report.Worst() != core.Unreachable {
		t.Errorf("two of three are down: %+v, %v", report, err)
	}
}

// A node that could not be joined when it was not up yet is no problem any more once
// it is heard: nobody waits for the next round of joining.
func TestJoinThatFailedIsTriedAgainWhenTheNodeComes(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.gossiping()
	before := c.config
	var late string
	c.config = func(config *Config) {
		before(config)
		switch config.Node {
		case "b":
			late = config.Bind
		case "a":
			config.Join = append([]string{late}, config.Bind)
		}
	}
	c.configOf("b") // b's address is known now
	c.start("a")
	c.problem("a", "gossip cannot join "+late)
	time.Sleep(2 * time.Second) // a, which reaches itself, waits for the next round
	came := time.Now()
	c.start("b", "c")
	eventually(t, "a names b no more", func() error {
		if all := strings.Join(c.nodes["a"].Problems(), "\n"); strings.Contains(all, "cannot join") {
			return fmt.Errorf("it names:\n%s", all)
		}
		return nil
	})
	if took := time.Since(came); took > rejoinLeast-3*time.Second {
		t.Errorf("after %v, as late as by itself", took)
	}
}
