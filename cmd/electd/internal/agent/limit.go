package agent

import (
	"context"
	"fmt"

	"github.com/electd/electd/core"
)

// How many calls to the arbiter are in flight at one time, of all elections
// together. A thousand elections that lose their peer in one moment would
// otherwise keep the arbiter's process, and the store, from answering anything in
// time. Reads have places of their own, so that they never hold up a renewal.
const (
	writesInFlight = 32
	readsInFlight  = 8
)

// limit bounds the calls to an arbiter. A call that waits for a place until its
// deadline was certainly not made.
func limit(a core.Arbiter) core.Arbiter {
	l := limited{Arbiter: a, writes: make(chan struct{}, writesInFlight), reads: make(chan struct{}, readsInFlight)}
	if w, ok := a.(core.Watcher); ok {
		return watchedLimited{l, w}
	}
	return l
}

type limited struct {
	core.Arbiter
	writes, reads chan struct{}
}

// watchedLimited is limited for an arbiter that watches; watches are not bounded.
type watchedLimited struct {
	limited
	core.Watcher
}

// Read implements core.Arbiter.
func (l limited) Read(ctx context.Context, key string) (core.Snapshot, error) {
	if err := enter(ctx, l.reads); err != nil {
		return core.Snapshot{}, err
	}
	defer leave(l.reads)
	return l.Arbiter.Read(ctx, key)
}

// CompareAndSwap implements core.Arbiter.
func (l limited) CompareAndSwap(ctx context.Context, s core.Swap) (core.Version, error) {
	if err := enter(ctx, l.writes); err != nil {
		return "", err
	}
	defer leave(l.writes)
	return l.Arbiter.CompareAndSwap(ctx, s)
}

func enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %d other calls to the arbiter were in flight all the time: %w", core.ErrUnavailable, cap(places), context.Cause(ctx))
	}
}

func leave(places chan struct{}) { <-places }
