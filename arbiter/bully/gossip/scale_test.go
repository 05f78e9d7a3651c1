package gossip

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"
)

var soak = os.Getenv("ELECTD_SOAK") != ""

// TestNewsAtScale runs memberlist itself, with a leader that renews every second,
// and reports what docs/arbiter-bully.md states.
func TestNewsAtScale(t *testing.T) {
	for _, size := range []int{3, 5, 15, 50, 200} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size > 50 && !soak {
				t.Log("left out: runs in `make soak`")
				return
			}
			synctest.Test(t, func(t *testing.T) {
				r := newRing(t)
				r.add(size)
				defer r.close()
				joined := r.until(2*time.Minute, r.allSee(size))
				time.Sleep(5 * time.Second)
				const rounds = 10
				var slowest, sum time.Duration
				before := r.net.bytes.Load()
				start := time.Now()
				for n := range rounds {
					sent := time.Now()
					r.nodes[0].Spread(item(uint64(n + 1)))
					took := r.until(time.Minute, r.allHeard(fmt.Sprint("v", n+1)))
					slowest, sum = max(slowest, took), sum+took
					time.Sleep(time.Until(sent.Add(time.Second)))
				}
				rate := float64(r.net.bytes.Load()-before) / time.Since(start).Seconds() / float64(size)
				t.Logf("%d members: all joined in %v; everybody knows after %v on average, %v at most; %.0f B/s a node",
					size, joined, sum/rounds, slowest, rate)
				if slowest > 10*time.Second {
					t.Errorf("news took %v", slowest)
				}
			})
		})
	}
}

// TestBoardsAtScale passes boards on as memberlist passes packets on, at a size
// that it cannot be run at here: every interval each node that has fresh news
// tells three others at random, a logarithmic number of times.
func TestBoardsAtScale(t *testing.T) {
	for _, size := range []int{3, 50, 200, 1000} {
		mc := memberlist.DefaultLANConfig()
		random := rand.New(rand.NewPCG(1, uint64(size)))
		var worst time.Duration
		for range 20 {
			worst = max(worst, time.Duration(spreadRounds(t, random, size, mc))*mc.GossipInterval)
		}
		t.Logf("%d members: everybody knows within %v", size, worst)
		if worst > 5*time.Second {
			t.Errorf("%d members: %v", size, worst)
		}
	}
}

// spreadRounds returns how many gossip intervals pass until every board has the
// news. Whoever is missed by all retransmissions gets it by a push/pull.
func spreadRounds(t *testing.T, random *rand.Rand, size int, mc *memberlist.Config) int {
	boards := make([]Board, size)
	left := make([]int, size) // transmissions
	limit := mc.RetransmitMult * decimalDigits(size)
	boards[0].Add(item(1))
	left[0] = limit
	for round := 1; round < 1000; round++ {
		told := map[int]bool{}
		for n := range boards {
			for range min(left[n], mc.GossipNodes) {
				left[n]--
				told[random.IntN(size)] = true
			}
		}
		for n := range told {
			if boards[n].Add(item(1)) {
				left[n] = limit
			}
		}
		missing := 0
		for n := range boards {
			if _, heard := boards[n].Newest(item(1).Key); !heard {
				missing++
			}
		}
		switch {
		case missing == 0:
			return round
		case len(told) == 0: // every transmission is spent: push/pull does the rest
			return round + int(mc.PushPullInterval/mc.GossipInterval)
		}
	}
	t.Fatal("the news never got round")
	return 0
}

// decimalDigits is memberlist's measure of a cluster's size.
func decimalDigits(n int) int {
	digits := 0
	for n > 0 {
		digits++
		n /= 10
	}
	return digits
}
