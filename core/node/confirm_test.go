package node_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core/node"
)

// TestConfirmInAHealthyPair: heartbeats carry the lease, so that a confirmation
// takes a write, and many at once take one together.
func TestConfirmInAHealthyPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, epoch := c.leader(5 * time.Second)
		time.Sleep(time.Minute)
		before := c.store.Counts().Writes
		answers := make(chan error, 10)
		for range cap(answers) {
			go func() {
				got, err := c.nodes[leader].Guard().Confirm(t.Context(), 2*time.Second)
				if err == nil && got != epoch {
					err = errors.New("another epoch")
				}
				answers <- err
			}()
		}
		for range cap(answers) {
			if err := <-answers; err != nil {
				t.Errorf("Confirm: %v", err)
			}
		}
		if wrote := c.store.Counts().Writes - before; wrote < 1 || wrote > 2 {
			t.Errorf("ten confirmations took %d writes, want one, or two", wrote)
		}
		if _, err := c.nodes[c.other(leader)].Guard().Confirm(t.Context(), time.Hour); !errors.Is(err, node.ErrNotLeading) {
			t.Errorf("Confirm on a follower: %v, want ErrNotLeading", err)
		}
		time.Sleep(time.Minute)
		quiet := c.store.Counts()
		time.Sleep(time.Minute)
		if c.store.Counts() != quiet {
			t.Error("the store is asked though nobody confirms any more")
		}
	})
}

// TestConfirmEndsWithTheHolding: who waits for a confirmation that cannot come is
// told so when the holding ends, not only when its own patience does.
func TestConfirmEndsWithTheHolding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(time.Minute)
		c.store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		c.network.Cut("a", "b")
		c.network.Cut("b", "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		asked := time.Now()
		_, err := c.nodes[leader].Guard().Confirm(ctx, time.Second)
		if took := time.Since(asked); !errors.Is(err, node.ErrNotLeading) || took > 2*time.Second {
			t.Errorf("Confirm: %v after %s, want ErrNotLeading when the authority ends", err, took)
		}
	})
}

// TestConfirmOfAStoppedNode is refused.
func TestConfirmOfAStoppedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := alone(t, arbiter.NewStore(), nil)
		n.Abandon()
		if _, err := n.Guard().Confirm(t.Context(), time.Hour); !errors.Is(err, node.ErrNotLeading) {
			t.Errorf("Confirm of a stopped node: %v, want ErrNotLeading", err)
		}
	})
}
