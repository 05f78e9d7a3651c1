package bully

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/bully/gossip"
	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// ranked waits until every node knows how the others rank.
func (c *cluster) ranked() {
	c.t.Helper()
	eventually(c.t, "all are ranked", func() error {
		pairs := 0
		for _, a := range c.nodes {
			pairs += len(a.ranks.above(gossip.Rank{Suitability: a.config.Suitability, Node: a.config.Node}, time.Now()))
		}
		if n := len(c.nodes); pairs != n*(n-1)/2 {
			return fmt.Errorf("%d of %d pairs", pairs, n*(n-1)/2)
		}
		return nil
	})
}

func (c *cluster) take(ctx context.Context, node string, expected core.Version) error {
	_, err := c.nodes[node].CompareAndSwap(ctx, core.Swap{Key: lease, Expected: expected, Record: []byte(node), Intent: core.Take})
	return err
}

func TestHighestRankWinsAFreshElection(t *testing.T) {
	for name, test := range map[string]struct {
		suitability map[string]int
		want        string
	}{
		"by suitability": {map[string]int{"a": 1, "b": 9, "c": 5}, "b"},
		"by node id":     {nil, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 3)
			c.config = func(config *Config) { config.Suitability, config.Profile = test.suitability[config.Node], "wan" } // a turn is a second
			c.start("a", "b", "c")
			c.ready()
			c.ranked()
			var version core.Version
			for round := range 3 {
				var all sync.WaitGroup
				for node := range c.nodes {
					all.Go(func() { _ = c.take(within(t, 5*time.Second), node, version) })
				}
				all.Wait()
				s, err := c.read("a", lease)
				if err != nil || string(s.Record) != test.want {
					t.Fatalf("round %d: %q leads, %v; want %s", round, s.Record, err, test.want)
				}
				version = s.Version
			}
		})
	}
}

// The leader, highest in rank, is gone. Whoever is next does not wait for it
// although gossip may hold it for alive a while longer.
func TestDeadHigherRankIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.Profile = "wan" } // a turn is a second
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	c.stop("c")
	var version core.Version
	quickest := time.Hour
	for range 3 { // on a busy machine an answer may take a turn
		start := time.Now()
		if err := c.take(within(t, 5*time.Second), "b", version); err != nil {
			t.Fatal(err)
		}
		quickest = min(quickest, time.Since(start))
		now, err := c.read("b", lease)
		if err != nil {
			t.Fatal(err)
		}
		version = now.Version
	}
	if quickest > 900*time.Millisecond {
		t.Errorf("b waited %v for c, which refuses connections", quickest)
	}
}

// The leader, highest in rank, steps down. Nobody waits for it.
func TestWhoeverReleasedLetsTheOthersGoFirst(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.Profile = "wan" } // a turn is a second
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	var v core.Version
	quickest := time.Hour
	for range 3 { // on a busy machine an answer may take a turn
		v = c.released("c", v)
		start := time.Now()
		if err := c.take(within(t, 5*time.Second), "b", v); err != nil {
			t.Fatal(err)
		}
		quickest = min(quickest, time.Since(start))
		now, err := c.read("b", lease)
		if err != nil {
			t.Fatal(err)
		}
		v = now.Version
	}
	if quickest > 900*time.Millisecond {
		t.Errorf("b waited %v for c, which had just released", quickest)
	}
}

// released has a node lead and release, and returns the version that it leaves.
func (c *cluster) released(node string, v core.Version) core.Version {
	c.t.Helper()
	v = c.mustSwap(node, lease, v, node+" leads")
	v, err := c.nodes[node].CompareAndSwap(within(c.t, 5*time.Second), core.Swap{Key: lease, Expected: v, Record: []byte("vacant"), Intent: core.Release})
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// Once another one has led, whoever gave up before is first in its rank again.
func TestReleaseIsForgottenOnceAnotherOneHasLed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.Profile = "wan" } // a turn is a second
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	v := c.released("b", c.released("c", ""))
	eventually(t, "c has heard of it", func() error {
		if newest, _ := c.nodes["c"].news.newest(lease); newest != string(v) {
			return fmt.Errorf("it knows %s", newest)
		}
		return nil
	})
	var both sync.WaitGroup
	both.Go(func() { _ = c.take(within(t, 5*time.Second), "a", v) })
	time.Sleep(200 * time.Millisecond) // c is not the first to try
	both.Go(func() { _ = c.take(within(t, 5*time.Second), "c", v) })
	both.Wait()
	if s, err := c.read("b", lease); err != nil || string(s.Record) != "c" {
		t.Errorf("%q took, %v; want c, which gave up before b led", s.Record, err)
	}
}

// A higher rank that is up but does not stand, because its service is unhealthy
// or paused, gives up its turn.
func TestHigherRankThatDoesNotStandLosesItsTurn(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.Profile = "wan" } // a turn is a second
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	start := time.Now()
	if err := c.take(within(t, 5*time.Second), "a", ""); err != nil {
		t.Fatal(err)
	}
	if waited, turn := time.Since(start), profiles["wan"].turn; waited < 2*turn {
		t.Errorf("a waited %v, less than two turns of %v", waited, turn)
	}
}

func TestWaitingForAHigherRankIsNamed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.Profile = "wan" }
	c.start("a", "b", "c")
	c.ready()
	c.ranked()
	err := c.take(within(t, 300*time.Millisecond), "a", "")
	if !errors.Is(err, core.ErrUnavailable) || !strings.Contains(err.Error(), "waits for higher-ranked c, b") {
		t.Fatalf("a takes before its turn: %v", err)
	}
	c.expect("b", lease, "", "")
	// Its wait goes on with the next attempt instead of beginning anew.
	eventually(t, "a's turn comes although no attempt lasts a turn", func() error {
		err := c.take(within(t, 300*time.Millisecond), "a", "")
		if s, _ := c.read("b", lease); string(s.Record) == "a" {
			return nil // also if the attempt's deadline cut its answer off
		}
		return err
	})
}

// A returning higher rank leaves the leader alone: a leader's renewals never wait,
// and nobody but the leader hands over.
func TestReturningHigherRankDoesNotPreempt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	c.stop("c")
	v := c.mustSwap("b", lease, "", "b leads")
	c.start("c")
	c.ready()
	c.ranked()
	for range 3 {
		v = c.mustSwap("b", lease, v, "b renews")
	}
	if node := c.preferred("b"); node != "" {
		t.Errorf("b should hand over to %s although preempt_after is not set", node)
	}
	c.expect("c", lease, "b renews", v)
}

// preferred is what a node's report says.
func (c *cluster) preferred(node string) string {
	c.t.Helper()
	report, err := c.nodes[node].Report(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.Join(report.Preferred, " ")
}

func TestPreemptAfterNamesWhomToHandOverTo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.config = func(config *Config) { config.PreemptAfter = 500 * time.Millisecond }
	c.start("a", "b")
	back := time.Now()
	c.start("c")
	c.ready()
	eventually(t, "b is to hand over to c", func() error {
		if node := c.preferred("b"); node != "c" {
			return fmt.Errorf("to %q", node)
		}
		return nil
	})
	if since := time.Since(back); since < 300*time.Millisecond {
		t.Errorf("after %v already", since)
	}
	if node := c.preferred("c"); node != "" {
		t.Errorf("c ranks highest and should hand over to %s", node)
	}
}

// Whoever was up and did not take when it could is not preferred at once again.
func TestHigherRankThatWasPassedOverCountsAnew(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	const after = 2 * time.Second
	c.config = func(config *Config) { config.PreemptAfter = after }
	c.start("a", "b", "c")
	c.ready()
	eventually(t, "a is to hand over to c, or else to b", func() error {
		if node := c.preferred("a"); node != "c b" {
			return fmt.Errorf("to %q", node)
		}
		return nil
	})
	taken := time.Now()
	if err := c.take(within(t, 5*time.Second), "a", ""); err != nil {
		t.Fatal(err)
	}
	if node := c.preferred("a"); node != "" {
		t.Errorf("a took before %s did, and should hand over to it at once", node)
	}
	eventually(t, "a is to hand over to c, or else to b again", func() error {
		if node := c.preferred("a"); node != "c b" {
			return fmt.Errorf("to %q", node)
		}
		return nil
	})
	if passed := time.Since(taken); passed < after {
		t.Errorf("a is to hand over again after %v", passed)
	}
}

// News, true or not, ends a wait at most. The votes decide.
func TestFalseNewsChangesNoDecision(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")
	for _, a := range c.nodes {
		a.hear(news{key: lease, ballot: register.Ballot{Counter: 1 << 60, Writer: "liar"}, version: "false"})
	}
	c.expect("b", lease, "one", v)
	if _, err := c.swap("c", lease, "false", "two"); core.WriteOutcome(err) != core.Conflict {
		t.Errorf("a swap on a version that only news knows: %v", err)
	}
	if err := c.take(within(t, 5*time.Second), "c", v); err != nil {
		t.Errorf("a take on the true version: %v", err)
	}
}
