package arbitertest

import (
	"bytes"
	"context"
	"time"

	"github.com/electd/electd/core"
)

// deadlinePassed calls with contexts that are over.
func deadlinePassed(x *exam) {
	a := x.open()
	record := body()
	v := x.write(a, x.key(0), "", record)

	ended, cancel := context.WithCancel(x.ctx)
	cancel()
	expired, cancel := context.WithDeadline(x.ctx, time.Now().Add(-time.Second))
	defer cancel()
	for name, ctx := range map[string]context.Context{"cancelled": ended, "expired": expired} {
		if _, err := x.look(ctx, a, x.key(0)); err == nil {
			x.failf("a read whose context is %s succeeds", name)
		}
		if _, err := x.attempt(ctx, a, core.Swap{Key: x.key(0), Expected: v, Record: body()}); err == nil {
			x.failf("a write whose context is %s succeeds", name)
		}
	}
	if s := x.read(a, x.key(0)); !bytes.Equal(s.Record, record) {
		x.failf("a write whose context was over before it began took effect")
	}
}

// deadlineSilence calls a store that says nothing more.
func deadlineSilence(x *exam) {
	a, faults := x.openFaulty()
	if faults.Silence == nil {
		x.skipf(Skipped, "the harness cannot silence the store")
	}
	b := x.open()
	v := x.write(a, x.key(0), "", body())
	faults.Silence()

	ctx, cancel := x.brief()
	_, err := x.look(ctx, a, x.key(0))
	cancel()
	if core.ReadOutcome(err) != core.Unavailable {
		x.failf("a read from a silent store is not unavailable: %v", err)
	}
	record := body()
	ctx, cancel = x.brief()
	_, err = x.attempt(ctx, a, core.Swap{Key: x.key(0), Expected: v, Record: record})
	cancel()
	switch core.WriteOutcome(err) {
	case core.Unknown:
	case core.Unavailable:
		if s := x.read(b, x.key(0)); bytes.Equal(s.Record, record) {
			x.failf("a write to a silent store is stored that was told it is certainly not: %v", err)
		}
	default:
		x.failf("a write to a silent store is neither of unknown outcome nor unavailable: %v", err)
	}
}
