package bully_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A voter that lost its disk is let in again by the other two, who go on meanwhile;
// then its vote decides.
func TestLostDiskIsLetInAgain(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	lost := x.others(leader.node)[0]
	x.kill(lost)
	if err := os.RemoveAll(filepath.Join(x.dir, "data", lost, "votes")); err != nil {
		t.Fatal(err)
	}
	x.start(lost)
	x.settled()
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		n, err := x.api(lost).Node(t.Context())
		if err == nil && len(n.Arbiter.Problems) == 0 {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%s, which lost its disk, has problems: %q, %v", lost, n.Arbiter.Problems, err)
		}
	}
	if now := x.ask(leader.node); now.Role != "leader" || now.Epoch != leader.epoch {
		t.Errorf("%s led at epoch %d, and is now %s at %d", leader.node, leader.epoch, now.Role, now.Epoch)
	}
	begun := time.Now()
	x.kill(leader.node)
	next := x.next(leader.epoch, begun, afterKill+slack)
	t.Logf("%s lost its disk; %s was killed, and %s leads after %v", lost, leader.node, next.node, next.at.Sub(begun))
	x.work()
}
