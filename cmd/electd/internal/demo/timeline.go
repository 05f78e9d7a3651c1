package demo

import (
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/core"
)

// span is a time during which one node's guard was open.
type span struct {
	node        string
	epoch       core.Epoch
	from, until core.Instant
}

// timeline is what the guards of all nodes said, on the one clock of the
// machine. Where a guard may have been open it counts as open: an opening lasts
// until the instant it named, or until the node said that it had been replaced,
// or was seen dead.
type timeline struct {
	mu    sync.Mutex
	spans []span
	open  map[string]int // index of the last span of a node whose guard is open
	news  chan struct{}  // closed at the next report
	lost  error          // something a node said was lost: nothing is certain any more
}

func newTimeline() *timeline {
	return &timeline{open: map[string]int{}, news: make(chan struct{})}
}

// report takes in what a node says of its guard. The reports of one node must
// come in their order; how those of different nodes mix does not matter.
func (t *timeline) report(node string, r agent.GuardReport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, ok := t.open[node]; ok {
		last := &t.spans[i]
		last.until = min(last.until, r.Replaced)
		if r.Epoch == last.epoch && r.From <= last.until {
			last.until = max(last.until, r.Until) // extended without a gap, or cut short
		} else {
			delete(t.open, node)
		}
	}
	if _, ok := t.open[node]; !ok && r.Epoch != 0 {
		t.spans = append(t.spans, span{node, r.Epoch, r.From, r.Until})
		t.open[node] = len(t.spans) - 1
	}
	t.tell()
}

// died takes in that a node's process was gone at an instant, and its guard with
// it.
func (t *timeline) died(node string, at core.Instant) {
	t.report(node, agent.GuardReport{Replaced: at})
}

// lose takes in that something a node said was lost.
func (t *timeline) lose(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost == nil {
		t.lost = err
	}
	t.tell()
}

func (t *timeline) tell() {
	close(t.news)
	t.news = make(chan struct{})
}

// complete returns what was lost of what the nodes said, nil if nothing was.
func (t *timeline) complete() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// leader returns whose guard is open at an instant; empty if nobody's.
func (t *timeline) leader(at core.Instant) (node string, epoch core.Epoch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range slices.Backward(t.spans) {
		if s.from <= at && at < s.until {
			return s.node, s.epoch
		}
	}
	return "", 0
}

// next returns the first opening at an epoch above the given one, and a channel
// closed at the next report if there is none yet.
func (t *timeline) next(after core.Epoch) (span, bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.spans {
		if s.epoch > after {
			return s, true, nil
		}
	}
	return span{}, false, t.news
}

// overlap returns for how long, all in all, the guards of two nodes were open at
// once after an instant.
func (t *timeline) overlap(after core.Instant) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shared(after, core.Never, func(open map[string]bool) bool { return len(open) > 1 })
}

// shut returns for how long, all in all, nobody's guard was open between two
// instants.
func (t *timeline) shut(from, until core.Instant) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shared(from, until, func(open map[string]bool) bool { return len(open) == 0 })
}

// shared adds up the times between two instants at which the set of nodes with
// open guards is as asked for.
func (t *timeline) shared(from, until core.Instant, is func(open map[string]bool) bool) time.Duration {
	edges := []core.Instant{from, until}
	for _, s := range t.spans {
		edges = append(edges, max(from, min(until, s.from)), max(from, min(until, s.until)))
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var sum time.Duration
	for i, edge := range edges[:len(edges)-1] {
		open := map[string]bool{}
		for _, s := range t.spans {
			if s.from <= edge && edge < s.until {
				open[s.node] = true
			}
		}
		if is(open) {
			sum += edges[i+1].Sub(edge)
		}
	}
	return sum
}

// left returns how much longer a node's guard is open, if it says nothing new.
func (t *timeline) left(node string, at core.Instant) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, ok := t.open[node]
	if !ok {
		return 0
	}
	return max(0, t.spans[i].until.Sub(at))
}
