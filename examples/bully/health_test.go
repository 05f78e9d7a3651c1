package bully_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// checked gives every node a health command of its own, which fails once the
// file sick-NODE is there.
func (x *example) checked() {
	x.t.Helper()
	for _, node := range x.names() {
		health := fmt.Sprintf(`
  health {
    command  = ["/bin/sh", "-c", "test ! -e %s"]
    interval = "100ms"
    timeout  = "10s"
    failures = 1
  }`, x.sick(node))
		x.rewrite(node, func(line string) string {
			if line == `election "jobs" {` {
				return line + health
			}
			return line
		})
	}
}

func (x *example) sick(node string) string { return filepath.Join(x.dir, "sick-"+node) }

// afterSickness is how long the next leader takes: a round of the check, its
// command, and a step-down.
const afterSickness = 100*time.Millisecond + 100*time.Millisecond + afterStepDown

// A leader whose health check fails gives up at once, whether or not it knows who else
// could lead; nobody waits for a lease. It does not stand again while it is not healthy.
func TestUnhealthyLeaderGivesUpAtOnce(t *testing.T) {
	for name, heartbeats := range map[string]bool{"without heartbeats": false, "with heartbeats": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExample(t)
			if heartbeats {
				x.connected()
			}
			x.checked()
			x.start(x.names()...)
			last := x.next(0, time.Time{}, firstStart)
			x.settled()
			var took []time.Duration
			for range 2 { // the third one is the only healthy one
				begun := time.Now()
				x.fallSick(last.node)
				next := x.next(last.epoch, begun, 2*slack)
				took = append(took, next.at.Sub(begun))
				if _, err := os.Stat(x.sick(next.node)); err == nil {
					t.Errorf("%s leads, and is not healthy", next.node)
				}
				x.gaveUp(last.node)
				last = next
				x.settled()
			}
			slices.Sort(took)
			checkSpeed(t, afterSickness, took)
			if !heartbeats {
				x.allSick(last)
			}
			x.work()
		})
	}
}

func (x *example) fallSick(node string) {
	x.t.Helper()
	if err := os.WriteFile(x.sick(node), nil, 0o600); err != nil {
		x.t.Fatal(err)
	}
}

// gaveUp checks that a node that led released because it was not healthy.
func (x *example) gaveUp(node string) {
	x.t.Helper()
	e, err := x.api(node).Election(x.t.Context(), "jobs")
	if err != nil {
		x.t.Fatal(err)
	}
	for _, transition := range e.Transitions {
		if transition.To == "releasing" && transition.Reason == "this node is not healthy" {
			return
		}
	}
	x.t.Errorf("%s did not give up because it was not healthy: %+v", node, e.Transitions)
}

// allSick lets the only healthy node, which leads, fall sick as well: nobody leads,
// everybody says why and writes nothing, until one of them is healthy again.
func (x *example) allSick(last opening) {
	x.t.Helper()
	x.fallSick(last.node)
	const says = "the lease is vacant; this node is not healthy"
	for _, node := range x.names() {
		for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			e, err := x.api(node).Election(x.t.Context(), "jobs")
			if err == nil && e.Why == says {
				break
			}
			if time.Since(start) > 2*slack {
				x.t.Fatalf("%s says %q, %v; want %q", node, e.Why, err, says)
			}
		}
	}
	before := x.writes()
	time.Sleep(2 * time.Second)
	if after := x.writes(); after != before {
		x.t.Errorf("nobody is healthy, and %d writes were made", after-before)
	}
	if other, ok, _ := x.opened.above(last.epoch, time.Time{}); ok {
		x.t.Errorf("nobody is healthy, and %s led at epoch %d", other.node, other.epoch)
	}
	healed := x.others(last.node)[0]
	if err := os.Remove(x.sick(healed)); err != nil {
		x.t.Fatal(err)
	}
	if next := x.next(last.epoch, time.Time{}, 2*slack); next.node != healed {
		x.t.Errorf("%s is healthy again, and %s leads", healed, next.node)
	}
}

// writes is how many all nodes have made.
func (x *example) writes() (all uint64) {
	x.t.Helper()
	for _, node := range x.names() {
		e, err := x.api(node).Election(x.t.Context(), "jobs")
		if err != nil {
			x.t.Fatal(err)
		}
		all += e.Requests.Writes
	}
	return all
}
