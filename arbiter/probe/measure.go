package probe

import (
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// window narrows down how far the store's clock is ahead of this node's. Each
// answer bounds it from both sides; a coarse clock is known better with every
// answer, since its ticks fall at different moments.
type window struct {
	mu           sync.Mutex
	known        bool
	least, most  time.Duration
	inconsistent bool
}

// saw takes in that the store's clock, cut to a resolution, showed date at some
// moment between sent and received.
func (w *window) saw(sent, received, date time.Time, resolution time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	least, most := date.Sub(received), date.Add(resolution).Sub(sent)
	if !w.known {
		w.known, w.least, w.most = true, least, most
		return
	}
	least, most = max(w.least, least), min(w.most, most)
	if least > most { // the clock was set, or several servers answer with clocks of their own
		w.inconsistent = true
		w.least, w.most = min(w.least, date.Sub(received)), max(w.most, date.Add(resolution).Sub(sent))
		return
	}
	if !w.inconsistent {
		w.least, w.most = least, most
	}
}

// offset returns the store's clock less this node's, and its uncertainty either
// way; zero, zero if nothing is known.
func (w *window) offset() (time.Duration, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.known {
		return 0, 0
	}
	half := (w.most - w.least) / 2
	return w.least + half, max(half, time.Microsecond)
}

// latencies returns the percentiles of some durations.
func latencies(all []time.Duration) core.Latencies {
	if len(all) == 0 {
		return core.Latencies{}
	}
	sorted := slices.Sorted(slices.Values(all))
	at := func(percent int) time.Duration { return sorted[(len(sorted)*percent+99)/100-1] }
	return core.Latencies{Count: len(sorted), P50: at(50), P90: at(90), P99: at(99)}
}
