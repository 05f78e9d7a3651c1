package demo

import (
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// span is a time during which one node's guard was open.
type span struct {
	node        string
	epoch       core.Epoch
	from, until core.Instant
}

// timeline is what the guards of all nodes said, on the one clock of the
// machine. An opening lasts until the instant it named, or until the node said
// something else, or was killed.
type timeline struct {
	mu    sync.Mutex
	spans []span
	open  map[string]int // index of the last span of a node whose guard is open
	news  chan struct{}  // closed at the next report
}

func newTimeline() *timeline {
	return &timeline{open: map[string]int{}, news: make(chan struct{})}
}

// report takes in that a node's guard is open at epoch from an instant until
// another, or, with epoch zero, shut from there on.
func (t *timeline) report(node string, epoch core.Epoch, from, until core.Instant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, ok := t.open[node]; ok {
		last := &t.spans[i]
		switch {
		case epoch == last.epoch && from <= last.until:
			last.until = until // extended, or shortened, without a gap
		default:
			last.until = min(last.until, from)
			delete(t.open, node)
		}
	}
	if _, ok := t.open[node]; !ok && epoch != 0 {
		t.spans = append(t.spans, span{node, epoch, from, until})
		t.open[node] = len(t.spans) - 1
	}
	close(t.news)
	t.news = make(chan struct{})
}

// leader returns whose guard is open at an instant; empty if nobody's.
func (t *timeline) leader(at core.Instant) (node string, epoch core.Epoch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.spans) - 1; i >= 0; i-- {
		if s := t.spans[i]; s.from <= at && at < s.until {
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

// overlap returns the longest time for which the guards of two nodes were open
// at once, as far as it lies after an instant.
func (t *timeline) overlap(after core.Instant) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	longest := time.Duration(0)
	for i, a := range t.spans {
		for _, b := range t.spans[i+1:] {
			if a.node == b.node {
				continue
			}
			both := min(a.until, b.until).Sub(max(a.from, b.from, after))
			longest = max(longest, both)
		}
	}
	return longest
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
