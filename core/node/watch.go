package node

import (
	"context"
	"time"

	"github.com/electd/electd/core"
)

// watch turns the arbiter's hints into events.
func (n *Node) watch(w core.Watcher, slowest time.Duration) {
	hint := func() { n.put(core.Event{Kind: core.Hinted}) }
	failed := func(err error) { n.observer.Failed("watch the record; it is read at intervals instead", err) }
	watch(n.ctx, w, n.key, slowest, hint, failed)
}

// watch keeps a watch until ctx ends. One that is lost is made anew, at first at
// once, since a plugin that was replaced is back in no time, and at last at the
// slowest pace. Of what changed between two watches nobody gave a hint, so the
// second begins with one, unless watches break off as soon as they are made.
// failed is told once of every time that none can be had.
func watch(ctx context.Context, w core.Watcher, key string, slowest time.Duration, hint func(), failed func(error)) {
	fastest := slowest / 64
	pause, missed, told := fastest, false, false
	for ctx.Err() == nil {
		began := time.Now()
		hints, err := w.Watch(ctx, key)
		if err == nil {
			told = false
			if missed {
				missed = false
				hint()
			}
			for range hints {
				hint()
			}
			stood := time.Since(began)
			missed = missed || stood > pause
			if stood >= slowest {
				pause = fastest
			}
		} else if !told && ctx.Err() == nil {
			told = true
			failed(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, slowest)
	}
}
