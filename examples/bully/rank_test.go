package bully_test

import (
	"testing"
	"time"
)

// The highest of those that may stand takes what a leader gives up: c, or b when c is
// the one that gives up.
func TestHighestRankTakesWhatIsGivenUp(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	const rounds = 14
	wrong := 0
	for range rounds {
		x.settled()
		x.stepDown(leader.node)
		want := "c"
		if leader.node == "c" {
			want = "b"
		}
		next := x.next(leader.epoch, time.Time{}, slack)
		t.Logf("%s stepped down: %s leads, want %s", leader.node, next.node, want)
		if next.node != want {
			wrong++
		}
		leader = next
	}
	if wrong > 3 { // on a busy machine a turn may pass unused; by chance it would be half of them
		t.Errorf("%d of %d elections were won by a lower rank", wrong, rounds)
	}
	x.work()
}
