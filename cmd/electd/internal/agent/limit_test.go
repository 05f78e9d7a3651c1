package agent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/core"
)

// slow is an arbiter that takes a second for everything, and counts.
type slow struct{ now, most, calls atomic.Int64 }

func (s *slow) call() {
	s.calls.Add(1)
	n := s.now.Add(1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	time.Sleep(time.Second)
	s.now.Add(-1)
}

func (s *slow) Read(context.Context, string) (core.Snapshot, error) {
	s.call()
	return core.Snapshot{}, nil
}

func (s *slow) CompareAndSwap(context.Context, core.Swap) (core.Version, error) {
	s.call()
	return "1", nil
}

func (*slow) Close() error { return nil }

// However many call, only so many calls are in flight; who finds no place in time
// has certainly written nothing; and reads do not keep writes from theirs.
func TestCallsInFlightAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{}
		a := limit(store)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		var wrote, refused atomic.Int64
		var callers sync.WaitGroup
		for range 1000 {
			callers.Go(func() { a.Read(ctx, "k") })
			callers.Go(func() {
				_, err := a.CompareAndSwap(ctx, core.Swap{})
				switch {
				case err == nil:
					wrote.Add(1)
				case errors.Is(err, core.ErrUnavailable) && core.WriteOutcome(err) == core.Unavailable:
					refused.Add(1)
				default:
					t.Errorf("a write that was never sent is %v", err)
				}
			})
		}
		callers.Wait()
		if most := store.most.Load(); most != writesInFlight+readsInFlight {
			t.Errorf("%d calls were in flight at one time, want %d", most, writesInFlight+readsInFlight)
		}
		if wrote.Load() != 3*writesInFlight || wrote.Load()+refused.Load() != 1000 {
			t.Errorf("%d writes were made and %d refused in 2.5 s", wrote.Load(), refused.Load())
		}
	})
}
