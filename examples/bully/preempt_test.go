package bully_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// reported is longer than the daemon waits between two looks at what its arbiter
// prefers.
const reported = 11 * time.Second

// ledBefore has c, the highest in rank, lead and killed, and started again while
// another one leads.
func (x *example) ledBefore() (leader opening) {
	x.t.Helper()
	x.connected()
	x.start(x.names()...)
	first := x.next(0, time.Time{}, firstStart)
	x.settled()
	if first.node != "c" {
		for start := time.Now(); ; time.Sleep(20 * time.Millisecond) { // until c is an elector
			if _, err := x.api(first.node).StepDown(x.t.Context(), "jobs", "c"); err == nil {
				break
			} else if time.Since(start) > slack {
				x.t.Fatal(err)
			}
		}
		if first = x.next(first.epoch, time.Time{}, slack); first.node != "c" {
			x.t.Fatalf("handed over to c, and %s leads", first.node)
		}
	}
	x.kill("c")
	leader = x.next(first.epoch, time.Time{}, afterKill+slack)
	x.start("c")
	x.settled()
	return leader
}

// quiet checks that nobody else leads for a while.
func (x *example) quiet(leader opening, d time.Duration) {
	x.t.Helper()
	time.Sleep(d)
	if other, ok, _ := x.opened.above(leader.epoch, time.Time{}); ok {
		x.t.Errorf("%s led at epoch %d, and then %s at %d", leader.node, leader.epoch, other.node, other.epoch)
	}
	if now := x.ask(leader.node); now.Role != "leader" || now.Epoch != leader.epoch {
		x.t.Errorf("%s led at epoch %d, and is now %s at %d", leader.node, leader.epoch, now.Role, now.Epoch)
	}
}

func TestReturningHigherRankDoesNotPreempt(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.quiet(x.ledBefore(), reported)
}

// With preempt_after the leader hands over: once, by one epoch, and not before
// the higher rank has been up for so long.
func TestPreemptAfterHandsOver(t *testing.T) {
	t.Parallel()
	const after = 2 * time.Second
	x := newExample(t, `arbiter "bully" {`, "arbiter \"bully\" {\n  preempt_after = \"2s\"")
	begun := time.Now()
	before := x.ledBefore()
	next := x.next(before.epoch, begun, after+reported+slack)
	if before.node == "a" && next.node == "b" { // which ranks above a as well, and c was slow to come up
		before = next
		next = x.next(before.epoch, begun, after+reported+slack)
	}
	t.Logf("c leads %v after %s", next.at.Sub(before.at), before.node)
	if next.node != "c" || next.epoch != before.epoch+1 {
		t.Fatalf("%s led at epoch %d, and then %s at %d; want c at the next one", before.node, before.epoch, next.node, next.epoch)
	}
	e, err := x.api(before.node).Election(t.Context(), "jobs")
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, transition := range e.Transitions {
		reasons = append(reasons, transition.Reason)
	}
	if all := strings.Join(reasons, "\n"); !strings.Contains(all, "asked to hand over: the arbiter prefers c") {
		t.Errorf("%s says of its transitions:\n%s", before.node, all)
	}
	x.quiet(next, reported)
	x.work()
}

// A preferred node that cannot take, because its votes reach nobody while its
// heartbeats and its gossip do, costs each leader one change in a minute, not one
// at every look.
func TestTargetThatCannotTakeIsNotAskedAgainAtOnce(t *testing.T) {
	t.Parallel()
	if os.Getenv("ELECTD_SOAK") == "" {
		t.Log("left out: runs in `make soak`")
		return
	}
	x := newExample(t, `arbiter "bully" {`, "arbiter \"bully\" {\n  preempt_after = \"2s\"")
	wires := x.wired()
	before := x.ledBefore()
	for ends, w := range wires {
		if ends[0] == "c" || ends[1] == "c" {
			w.set(true)
		}
	}
	if first, ok, _ := x.opened.above(before.epoch, time.Time{}); ok {
		t.Fatalf("%s led before its votes were cut off", first.node)
	}
	time.Sleep(45 * time.Second)
	var led []string
	last := before
	for {
		next, ok, _ := x.opened.above(last.epoch, time.Time{})
		if !ok {
			break
		}
		led = append(led, next.node)
		last = next
	}
	t.Logf("%s led, and then %v", before.node, led)
	if slices.Contains(led, "c") || len(led) == 0 || len(led) > 2 {
		t.Errorf("%s led, and then %v; want one or two changes, none of them to c", before.node, led)
	}
	x.work()
}
