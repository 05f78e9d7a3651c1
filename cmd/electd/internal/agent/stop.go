package agent

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// stopsUsually is how long Stop takes at most where little has to be stopped.
	stopsUsually = 10 * time.Second
	// tidyWithin is how much of it is kept for what comes after the release: an
	// arbiter's process has 2 s to end, requests under way and the last traces less.
	tidyWithin = 2500 * time.Millisecond
	// exportWithin is how long the last traces have.
	exportWithin = 2 * time.Second
	// writeWithin is kept for the release's write, once all is stopped.
	writeWithin = 5500 * time.Millisecond
)

// StopWithin is how long to give Stop: what is supervised may take a fence margin
// to stop.
func (a *Agent) StopWithin() time.Duration {
	longest := time.Duration(0)
	for _, e := range a.settings().Elections {
		longest = max(longest, e.FenceMargin)
	}
	return max(stopsUsually, longest+writeWithin+tidyWithin)
}

// Stop releases what is held and ends everything, within ctx.
func (a *Agent) Stop(ctx context.Context) error { return a.close(ctx) }

func (a *Agent) close(ctx context.Context) error {
	a.cancel()
	a.running.Wait()
	releasing, cancel := before(ctx, tidyWithin)
	defer cancel()
	ends := make([]func() error, 0, len(a.all()))
	for _, e := range a.all() {
		ends = append(ends, func() error { return e.stop(releasing) })
	}
	err := together(ends...)
	if a.leash != nil {
		a.leash.close()
	}
	err = errors.Join(err, a.tidy(ctx))
	if a.dir != nil {
		err = errors.Join(err, a.dir.Close())
	}
	if a.control != nil {
		a.control.close()
	}
	return err
}

// tidy ends what no election needs any more. Each has a bound of its own.
func (a *Agent) tidy(ctx context.Context) error {
	exporting, cancel := context.WithTimeout(ctx, exportWithin)
	defer cancel()
	ends := []func() error{func() error { a.stopTraces(exporting); return nil }}
	if a.api != nil {
		ends = append(ends, a.api.Close)
	}
	if a.wire != nil {
		ends = append(ends, a.wire.Close)
	}
	if a.host != nil {
		ends = append(ends, a.host.Close)
	}
	return together(ends...)
}

// before returns a context that ends that much before ctx does.
func before(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, end.Add(-by))
	}
	return context.WithCancel(ctx)
}

// together does everything at once and returns all errors.
func together(all ...func() error) error {
	errs := make([]error, len(all))
	var doing sync.WaitGroup
	for i, do := range all {
		doing.Go(func() { errs[i] = do() })
	}
	doing.Wait()
	return errors.Join(errs...)
}
