package gossip

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"
)

var soak = os.Getenv("ELECTD_SOAK") != ""

// scale is how news of a renewal spreads among so many members.
type scale struct {
	members       int
	average, most time.Duration // until everybody knows
	rate          float64       // bytes a second a node, with one renewal a second
}

// String is what docs/arbiter-bully.md states, and BenchmarkScale parses.
func (s scale) String() string {
	return fmt.Sprintf("scale %d: %d ms on average, %d ms at most, %.0f B/s a node", s.members, s.average.Milliseconds(), s.most.Milliseconds(), s.rate)
}

func parseScale(line string) (s scale, ok bool) {
	var average, most int64
	i := strings.Index(line, "scale ")
	if i < 0 {
		return s, false
	}
	n, _ := fmt.Sscanf(line[i:], "scale %d: %d ms on average, %d ms at most, %f B/s", &s.members, &average, &most, &s.rate)
	s.average, s.most = time.Duration(average)*time.Millisecond, time.Duration(most)*time.Millisecond
	return s, n == 4
}

// TestNewsAtScale runs memberlist itself, in virtual time, with a leader that
// renews every second.
func TestNewsAtScale(t *testing.T) {
	for _, size := range []int{3, 5, 15, 50, 200} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size > 50 && !soak {
				t.Log("left out: runs in `make soak` and `make bench`")
				return
			}
			synctest.Test(t, func(t *testing.T) {
				s := newsAtScale(t, size)
				t.Log(s)
				// Whom the packets left out hears at the next exchange by TCP, 60 s later with 50.
				if s.average > 8*time.Second || s.most > 61*time.Second {
					t.Errorf("news took %v on average, %v at most", s.average, s.most)
				}
			})
		})
	}
}

func newsAtScale(t *testing.T, size int) scale {
	r := newRing(t)
	r.add(size)
	defer r.close()
	r.until(2*time.Minute, r.allSee(size))
	time.Sleep(5 * time.Second)
	const rounds = 10
	s := scale{members: size}
	before, start := r.net.bytes.Load(), time.Now()
	for n := range rounds {
		sent := time.Now()
		r.nodes[0].Spread(item(uint64(n + 1)))
		took := r.until(time.Minute, r.allHeard(fmt.Sprint("v", n+1)))
		s.most, s.average = max(s.most, took), s.average+took/rounds
		time.Sleep(time.Until(sent.Add(time.Second)))
	}
	s.rate = float64(r.net.bytes.Load()-before) / time.Since(start).Seconds() / float64(size)
	return s
}

// TestBoardsAtScale passes boards on as memberlist passes packets on, at a size
// that it cannot be run at here: every interval each node that has fresh news
// tells three others at random, a logarithmic number of times.
func TestBoardsAtScale(t *testing.T) {
	for _, size := range []int{3, 50, 200, 1000} {
		s := boardsAtScale(t, size)
		if size == 1000 {
			t.Log(s)
		}
		if s.most > 5*time.Second {
			t.Errorf("%d members: %v", size, s.most)
		}
	}
}

func boardsAtScale(t *testing.T, size int) scale {
	mc := memberlist.DefaultLANConfig()
	random := rand.New(rand.NewPCG(1, uint64(size)))
	s := scale{members: size}
	const runs = 20
	for range runs {
		rounds, told := spreadRounds(t, random, size, mc)
		took := time.Duration(rounds) * mc.GossipInterval
		s.most, s.average = max(s.most, took), s.average+took/runs
		s.rate += float64(told*len(encode(item(1)))) / float64(size*runs)
	}
	return s
}

// spreadRounds returns how many gossip intervals pass until every board has the
// news, and how often it is told until all transmissions are spent. Whoever is
// missed by all of them gets it by a push/pull.
func spreadRounds(t *testing.T, random *rand.Rand, size int, mc *memberlist.Config) (rounds, told int) {
	boards := make([]Board, size)
	left := make([]int, size) // transmissions
	limit := mc.RetransmitMult * decimalDigits(size)
	boards[0].Add(item(1))
	left[0] = limit
	for round := 1; round < 1000; round++ {
		hearers := map[int]bool{}
		for n := range boards {
			for _, other := range others(random, size, n, min(left[n], mc.GossipNodes)) {
				left[n]--
				told++
				hearers[other] = true
			}
		}
		for n := range hearers {
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
		if missing == 0 && rounds == 0 {
			rounds = round
		}
		if len(hearers) > 0 {
			continue
		}
		if rounds == 0 {
			rounds = round + int(mc.PushPullInterval/mc.GossipInterval)
		}
		return rounds, told
	}
	t.Fatal("the news never got round")
	return 0, 0
}

// others returns so many other members at random, or all if there are not more.
func others(random *rand.Rand, size, self, count int) []int {
	picked := make([]int, 0, count)
	for len(picked) < min(count, size-1) {
		if n := random.IntN(size); n != self && !slices.Contains(picked, n) {
			picked = append(picked, n)
		}
	}
	return picked
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

// BenchmarkScale runs the tests above, which virtual time needs to be, and
// reports what they found.
func BenchmarkScale(b *testing.B) {
	var found []scale
	for b.Loop() {
		found = nil
		tests := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^Test(News|Boards)AtScale$", "-test.v")
		tests.Env = append(os.Environ(), "ELECTD_SOAK=1")
		out, err := tests.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if s, ok := parseScale(line); ok {
				found = append(found, s)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, s := range found {
		b.ReportMetric(float64(s.average.Milliseconds()), fmt.Sprintf("ms-average-%d", s.members))
		b.ReportMetric(float64(s.most.Milliseconds()), fmt.Sprintf("ms-most-%d", s.members))
		b.ReportMetric(s.rate, fmt.Sprintf("B/s-%d", s.members))
	}
	if len(found) != 6 {
		b.Fatalf("%d sizes of six: %v", len(found), found)
	}
}
