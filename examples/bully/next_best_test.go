package bully_test

import (
	"os"
	"testing"
	"time"
)

// The highest in rank is sick, so the next one above the leader is handed over to.
func TestPreemptPassesOverASickNode(t *testing.T) {
	t.Parallel()
	x := newExample(t, `arbiter "bully" {`, "arbiter \"bully\" {\n  preempt_after = \"2s\"")
	x.connected()
	x.checked()
	if err := os.WriteFile(x.sick("c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	if leader.node == "b" {
		x.kill("b")
		leader = x.next(leader.epoch, time.Time{}, afterKill+slack)
		x.start("b")
	}
	if leader.node != "a" {
		t.Fatalf("%s leads", leader.node)
	}
	next := x.next(leader.epoch, time.Time{}, 2*time.Second+2*reported+slack)
	if next.node != "b" || next.epoch != leader.epoch+1 {
		t.Errorf("a led at epoch %d, and then %s at %d; want b at the next one", leader.epoch, next.node, next.epoch)
	}
}
