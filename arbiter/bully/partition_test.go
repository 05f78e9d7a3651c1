package bully

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// may reports whether a node's swap is applied; it must be certainly not applied
// otherwise.
func (c *cluster) may(node string, expected core.Version, record string) (core.Version, bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
	defer cancel()
	v, err := c.nodes[node].CompareAndSwap(ctx, core.Swap{Key: lease, Expected: expected, Record: []byte(record), Intent: core.Take})
	switch core.WriteOutcome(err) {
	case core.Applied:
		return v, true
	case core.Unavailable:
		return "", false
	}
	c.t.Fatalf("%s takes: %v, want applied or unavailable", node, err)
	return "", false
}

func TestTwoOfThreeElectOneOfThreeNever(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	c.wall.set(groups("ab", "c"))
	if _, ok := c.may("c", "", "c leads"); ok {
		t.Error("one of three elected")
	}
	v, ok := c.may("a", "", "a leads")
	if !ok {
		t.Error("two of three did not elect")
	}
	c.expect("b", lease, "a leads", v)
}

func TestEvenSplitElectsNobody(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 4)
	c.start("a", "b", "c", "d")
	c.ready()
	w := &c.wall
	w.set(groups("ab", "cd"))
	for _, node := range c.voters {
		if _, ok := c.may(node, "", node); ok {
			t.Errorf("%s was elected by two of four", node)
		}
	}
	w.set(nil)
	eventually(t, "somebody is elected after it healed", func() error {
		if _, ok := c.may("d", "", "d"); !ok {
			return fmt.Errorf("nobody")
		}
		return nil
	})
}

// A bridge hears both sides. Gossip that passes over it must not keep a leader
// alive that has lost its majority.
func TestBridgeKeepsNoMinorityLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 5)
	c.start("a", "b", "c", "d", "e")
	c.ready()
	v := c.mustSwap("a", lease, "", "a leads")
	c.wall.set(func(from, to string) bool { return from == "a" && to != "b" }) // b is the bridge
	if _, err := c.swap("a", lease, v, "a renews"); core.WriteOutcome(err) != core.Unavailable {
		t.Fatalf("a reaches two of five and renews: %v", err)
	}
	var v2 core.Version
	eventually(t, "four of five elect", func() error {
		var ok bool
		if v2, ok = c.may("c", v, "c leads"); !ok {
			return fmt.Errorf("not applied")
		}
		return nil
	})
	c.expect("b", lease, "c leads", v2)
}

func TestJoinersNeverChangeTheQuorum(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	for range 4 {
		a, err := c.join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
	}
	c.stop("b", "c")
	if _, ok := c.may("a", "", "a leads"); ok {
		t.Error("one voter and four joiners elected")
	}
}

// A leader that is cut off finds its renewals unavailable at once or by their
// deadline, so it can fence in time.
func TestCutOffLeaderIsToldSo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "a leads")
	c.wall.set(groups("a", "bc"))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := c.nodes["a"].CompareAndSwap(ctx, core.Swap{Key: lease, Expected: v, Record: []byte("renewed"), Intent: core.Renew})
	if core.WriteOutcome(err) != core.Unavailable {
		t.Fatalf("renewal of a leader that is cut off: %v", err)
	}
}
