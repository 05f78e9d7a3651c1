package arbitertest

import (
	"context"
	"errors"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/core"
)

// closeTwice closes a client twice and then uses it.
func closeTwice(x *exam) {
	a, err := x.h.Open(x.ctx)
	if err != nil {
		x.fatalf("cannot open a client: %v", err)
	}
	ctx, cancel := x.timed()
	defer cancel()
	if _, err := x.look(ctx, a, x.key(0)); err != nil {
		x.failf("reading before Close: %v", err)
	}
	for _, which := range []string{"first", "second"} {
		_, err := within(x, ctx, "Close", func() (any, error) { return nil, a.Close() })
		if err != nil {
			x.failf("the %s Close: %v", which, err)
		}
	}
	if _, err := x.look(ctx, a, x.key(0)); err == nil {
		x.failf("a read after Close succeeds")
	}
	if _, err := x.attempt(ctx, a, core.Swap{Key: x.key(0), Record: body()}); err == nil {
		x.failf("a write after Close succeeds")
	}
}

// noGoroutineLeft uses a client for everything it can do and counts what is left
// of it.
func noGoroutineLeft(x *exam) {
	before := goleak.IgnoreCurrent()
	for round := range 2 {
		a, err := x.h.Open(x.ctx)
		if err != nil {
			x.fatalf("cannot open a client: %v", err)
		}
		v := x.write(a, x.key(round), "", body())
		if s := x.read(a, x.key(round)); s.Version != v {
			x.failf("read version %q after %q was written", s.Version, v)
		}
		if w, ok := a.(core.Watcher); ok {
			_, _ = w.Watch(x.ctx, x.key(round)) // Close ends it
		}
		short, cancel := context.WithTimeout(x.ctx, time.Millisecond)
		_, _ = x.attempt(short, a, core.Swap{Key: x.key(round), Expected: v, Record: body()})
		cancel()
		if err := a.Close(); err != nil {
			x.failf("Close: %v", err)
		}
	}
	var left error
	for range 5 { // each look waits for a while by itself
		if left = goleak.Find(before); left == nil {
			return
		}
	}
	x.failf("goroutines are left after Close: %v", left)
}

// watchHints waits for a hint of another client's write and for the end of the
// watch.
func watchHints(x *exam) {
	a, b := x.open(), x.open()
	w, offered := a.(core.Watcher)
	if !offered {
		x.skipf(NotApplicable, "the arbiter offers no Watch")
	}
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	v := x.write(b, x.key(0), "", body())
	hints, err := w.Watch(ctx, x.key(0))
	if errors.Is(err, errors.ErrUnsupported) {
		x.skipf(NotApplicable, "the arbiter offers no Watch")
	}
	if err != nil {
		x.fatalf("Watch: %v", err)
	}
	for round := range x.rounds() {
		v = x.write(b, x.key(0), v, body())
		late := time.NewTimer(x.h.Timeout)
		select {
		case _, open := <-hints:
			if !open {
				x.fatalf("round %d: the watch ended by itself", round)
			}
		case <-late.C:
			x.fatalf("round %d: no hint of another client's write within %v", round, x.h.Timeout)
		}
		late.Stop()
	}
	cancel()
	late := time.NewTimer(x.h.Timeout + grace)
	defer late.Stop()
	for {
		select {
		case _, open := <-hints:
			if !open {
				return
			}
		case <-late.C:
			x.fatalf("the watch's channel is not closed after its context ended")
		}
	}
}
