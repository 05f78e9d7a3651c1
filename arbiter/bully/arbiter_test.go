package bully

import (
	"testing"

	"github.com/electd/electd/core"
)

const lease = "e/lease.json"

func TestThreeVotersDecide(t *testing.T) {
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	c.expect("a", lease, "", "")
	v1 := c.mustSwap("a", lease, "", "one")
	c.expect("b", lease, "one", v1)
	if _, err := c.swap("b", lease, "", "two"); core.WriteOutcome(err) != core.Conflict {
		t.Fatalf("a second create: %v", err)
	}
	v2 := c.mustSwap("c", lease, v1, "two")
	c.expect("a", lease, "two", v2)
	c.stop("c")
	v3 := c.mustSwap("a", lease, v2, "three")
	c.stop("b")
	if _, err := c.swap("a", lease, v3, "four"); core.WriteOutcome(err) != core.Unavailable {
		t.Fatalf("one of three: %v", err)
	}
	if _, err := c.read("a", lease); core.ReadOutcome(err) != core.Unavailable {
		t.Fatalf("one of three reads: %v", err)
	}
	c.stop("a")
	c.start("b", "c") // c was away, b remembers
	c.ready()
	c.expect("c", lease, "three", v3)
}
