package probe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// ages holds the ages that are read against when the writes began: nothing can
// have been stored for longer than that.
type ages struct {
	mu    sync.Mutex
	began map[string]time.Time // of the first attempt to write these bytes
	known bool                 // an age was read at all
	lie   string               // the first age larger than the truth; empty: none
}

// begin notes that a write is about to be sent.
func (a *ages) begin(record []byte, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.began == nil {
		a.began = map[string]time.Time{}
	}
	if _, again := a.began[string(record)]; !again {
		a.began[string(record)] = now
	}
}

// saw judges the age of what was just read. Of what was there before this run
// nothing is known.
func (a *ages) saw(s core.Snapshot, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = a.known || s.Age > 0
	if a.lie != "" || s.Age <= 0 {
		return
	}
	if s.Version == "" {
		a.lie = fmt.Sprintf("a key that holds nothing was read with an age of %s", s.Age)
		return
	}
	began, ours := a.began[string(s.Record)]
	if most := now.Sub(began); ours && s.Age > most+drift(most) {
		a.lie = fmt.Sprintf("a record was read with an age of %s, and its write had begun only %s before", s.Age, most)
	}
}

// drift is how far two good clocks may go apart in a time: a store measures with
// its own, which may just be set right.
func drift(over time.Duration) time.Duration { return over/1000 + time.Millisecond }

// agesAreTrue judges every age that was read up to here and that of one more
// record, read by each client.
func (x *examination) agesAreTrue(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	if _, err := x.write(ctx, 0, now.Version, x.nextBody()); err != nil {
		return observation{}, err
	}
	for client := range clients {
		if _, err := x.readMine(ctx, client); err != nil {
			return observation{}, err
		}
	}
	switch {
	case x.ages.lie != "":
		return refused("%s", x.ages.lie)
	case !x.ages.known:
		return passed("no age was told: a challenger waits the whole lease")
	}
	return passed("no record was read with an age larger than the truth")
}
