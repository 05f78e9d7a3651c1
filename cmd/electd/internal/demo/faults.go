package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

// fault is one thing to do to the nodes. It returns the instant that a failover
// is measured from.
type fault struct {
	name   string
	expect string                                  // failsOver or stays
	bound  func(lease time.Duration) time.Duration // of the failover
	do     func(ctx context.Context, w *world, leader *process) (core.Instant, error)
	undo   func(ctx context.Context, w *world, leader *process) error
}

// What a fault is expected to do to the leader.
const (
	failsOver = "fails_over"
	stays     = "stays"
)

// holds is how long a fault lasts under which the leader is to stay.
func (w *world) holds() time.Duration { return 3 * w.timing.lease }

// slack is how much longer a failover may take than what it has to wait for.
const slack = 300 * time.Millisecond

// afterLease bounds a failover for which a promise has to end, atOnce one for
// which nothing has to.
func afterLease(lease time.Duration) time.Duration { return lease + slack }
func atOnce(time.Duration) time.Duration           { return slack }
func never(time.Duration) time.Duration            { return 0 }

// faults are all there are, in the order of the default script.
var faults = []fault{
	{
		name: "kill", expect: failsOver, bound: afterLease,
		do: func(_ context.Context, _ *world, leader *process) (core.Instant, error) {
			return clock(), leader.kill()
		},
		undo: func(_ context.Context, _ *world, leader *process) error { return leader.start() },
	},
	{
		name: "freeze", expect: failsOver, bound: afterLease,
		do: func(_ context.Context, _ *world, leader *process) (core.Instant, error) {
			return clock(), leader.freeze()
		},
		// It is thawed only well past its lease.
		undo: func(ctx context.Context, w *world, leader *process) error {
			return errors.Join(pause(ctx, w.timing.lease), leader.thaw())
		},
	},
	{
		name: "partition", expect: stays, bound: never,
		do: func(ctx context.Context, w *world, _ *process) (core.Instant, error) {
			at := clock()
			return at, errors.Join(w.cutLinks("cut"), pause(ctx, w.holds()))
		},
		undo: func(_ context.Context, w *world, _ *process) error { return w.cutLinks("heal") },
	},
	{
		name: "blip-kill", expect: failsOver, bound: afterLease,
		do:   blipKill,
		undo: func(_ context.Context, _ *world, leader *process) error { return leader.start() },
	},
	{
		name: "store-outage", expect: stays, bound: never,
		do: func(ctx context.Context, w *world, _ *process) (core.Instant, error) {
			at := clock()
			w.store.down.Store(true)
			return at, pause(ctx, w.holds())
		},
		undo: func(_ context.Context, w *world, _ *process) error {
			w.store.down.Store(false)
			return nil
		},
	},
	{
		name: "step-down", expect: failsOver, bound: atOnce,
		do: func(ctx context.Context, _ *world, leader *process) (core.Instant, error) {
			at := clock()
			_, err := leader.api.StepDown(ctx, election, "")
			return at, err
		},
		undo: func(context.Context, *world, *process) error { return nil },
	},
}

// blipKill loses heartbeats for less than the lease, lets them flow again, and
// kills the leader then: its short stay on the arbiter's long lease must not
// make the failover wait for that.
func blipKill(ctx context.Context, w *world, leader *process) (core.Instant, error) {
	err := errors.Join(w.cutLinks("cut"), pause(ctx, w.timing.lease*2/3), w.cutLinks("heal"))
	if err != nil {
		return 0, err
	}
	if _, _, err := w.settle(ctx); err != nil {
		return 0, err
	}
	return clock(), leader.kill()
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// names returns the names of all faults.
func names() []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.name)
	}
	return out
}

// ErrUnknownFault says that a script names a fault that there is not.
var ErrUnknownFault = errors.New("no such fault")

// find returns the faults of a script.
func find(script []string) ([]fault, error) {
	var out []fault
	for _, name := range script {
		i := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%w: %q; there are %s", ErrUnknownFault, name, strings.Join(names(), ", "))
		}
		out = append(out, faults[i])
	}
	return out, nil
}
