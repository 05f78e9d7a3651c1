package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/electd/electd/core"
)

// ErrNotLeading is what a shut guard answers.
var ErrNotLeading = errors.New("this node may not act: it does not lead, or its authority is over")

// ErrNotConfirmed is what Confirm answers when no write to the arbiter is young
// enough.
var ErrNotConfirmed = errors.New("no write to the arbiter is young enough to confirm this")

// askAgain is how often Confirm asks for a write while it waits for one.
const askAgain = 100 * time.Millisecond

// Guard answers "may I act now?" in the leader's own process. It is shut by the
// clock itself: a frozen, late or dead node cannot leave it open.
type Guard struct {
	current atomic.Pointer[opening]
	renew   func() // asks the node for a write to the arbiter
}

// opening is one immutable answer: open at epoch from a moment on, for so long.
type opening struct {
	epoch   core.Epoch
	at      time.Time     // when left was measured, by the monotonic clock
	wall    int64         // and by the wall clock, Unix nanoseconds
	left    time.Duration // how long the guard stays open from there
	written time.Duration // how old the newest write known applied was at that moment
	changed chan struct{} // closed when a newer write is known applied
}

// since returns the larger of what the monotonic and the wall clock say has
// passed: the former stands still while the machine is suspended, the latter
// may be set back.
func (o *opening) since() time.Duration {
	now := time.Now()
	return max(now.Sub(o.at), time.Duration(now.UnixNano()-o.wall))
}

// Check returns the epoch this node may act at now, or ErrNotLeading. It takes
// no lock and allocates nothing. Act before calling it again: the answer is
// about now.
func (g *Guard) Check() (core.Epoch, error) {
	o := g.current.Load()
	if o == nil || o.epoch == 0 || o.since() >= o.left {
		return 0, ErrNotLeading
	}
	return o.epoch, nil
}

// Do calls fn with the epoch if the guard is open, and checks again before it
// returns, so that nobody is told of success whose leader was deposed meanwhile.
// What fn has done by then must be fenced by the epoch itself.
func (g *Guard) Do(fn func(epoch core.Epoch) error) error {
	epoch, err := g.Check()
	if err != nil {
		return err
	}
	if err := fn(epoch); err != nil {
		return err
	}
	after, err := g.Check()
	if err == nil && after != epoch {
		return ErrNotLeading
	}
	return err
}

// Confirm is for the rare act that is itself an acknowledgement outside the
// pair. It succeeds only while the guard is open and a write to the arbiter not
// older than maxAge is known applied. Past half of maxAge it asks for a new one;
// past the whole it waits for that until ctx ends.
func (g *Guard) Confirm(ctx context.Context, maxAge time.Duration) (core.Epoch, error) {
	for {
		o := g.current.Load()
		if o == nil || o.epoch == 0 || o.since() >= o.left {
			return 0, ErrNotLeading
		}
		age := o.written + o.since()
		if age > maxAge/2 {
			g.renew()
		}
		if age <= maxAge {
			return o.epoch, nil
		}
		select {
		case <-o.changed:
		case <-time.After(askAgain): // a write that failed is not repeated for its own sake
		case <-ctx.Done():
			return 0, errors.Join(ErrNotConfirmed, ctx.Err())
		}
	}
}

// publish replaces the answer. Only the node's loop calls it.
func (g *Guard) publish(o *opening) {
	before := g.current.Swap(o)
	if before != nil && before.changed != o.changed {
		close(before.changed)
	}
}
