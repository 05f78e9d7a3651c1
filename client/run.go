package client

import (
	"context"
	"fmt"
	"time"
)

// ahead is how long before the guard shuts by the clock that RunWhileLeading
// ends its context, at most an eighth of what was left.
const ahead = 10 * time.Millisecond

// RunWhileLeading calls fn whenever this node leads, with the epoch to act at,
// and ends fn's context as soon as it does not, and before the daemon's authority
// reaches its margin: context.Cause then wraps ErrNotLeading. fn must return
// promptly then; the next leader waits for it no longer than the daemon's word
// was good for, so whatever fn writes to must refuse an epoch older than the
// newest it has seen.
//
// When fn returns while the node leads, RunWhileLeading returns what fn did. When
// fn returns after its context ended for want of leadership, RunWhileLeading
// waits for the next time. It returns ctx's cause when ctx ends.
func (g *Guard) RunWhileLeading(ctx context.Context, fn func(ctx context.Context, epoch uint64) error) error {
	for {
		o, err := g.opened(ctx)
		if err != nil {
			return err
		}
		if over, err := g.run(ctx, o, fn); over {
			return err
		}
	}
}

// before returns how long fn may go on for what the daemon last said.
func (o *opening) before() time.Duration {
	if o.epoch == 0 {
		return 0
	}
	return o.left - o.sent.since() - min(ahead, o.left/8)
}

// opened waits until the guard is open for a while.
func (g *Guard) opened(ctx context.Context) (*opening, error) {
	for {
		o := g.current.Load()
		if ctx.Err() == nil && o.before() > 0 {
			return o, nil
		}
		select {
		case <-o.replaced:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// run calls fn for one holding. It reports whether that is the end of it all, and
// with which error.
func (g *Guard) run(ctx context.Context, o *opening, fn func(ctx context.Context, epoch uint64) error) (over bool, err error) {
	o.holding.begin()
	defer o.holding.end()
	if !g.stillOpen(o) {
		return false, nil
	}
	acting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watch(acting, o, cancel)
	}()
	err = fn(acting, o.epoch)
	ended := acting.Err() != nil
	cancel(nil)
	<-watched
	switch {
	case ctx.Err() != nil && err == nil:
		return true, context.Cause(ctx)
	case ctx.Err() != nil || !ended:
		return true, err
	}
	return false, nil
}

// watch ends a context when the holding that o belongs to is over.
func (g *Guard) watch(ctx context.Context, o *opening, cancel context.CancelCauseFunc) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		last := g.current.Load()
		if last.holding != o.holding || last.epoch != o.epoch {
			cancel(fmt.Errorf("%w (%s)", ErrNotLeading, last.why))
			return
		}
		left := last.before()
		if left <= 0 {
			cancel(fmt.Errorf("%w (%s)", ErrNotLeading, "the daemon did not confirm it in time"))
			return
		}
		timer.Reset(left)
		select {
		case <-ctx.Done():
			return
		case <-last.replaced:
		case <-timer.C:
		}
	}
}
