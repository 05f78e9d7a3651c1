package arbitertest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// grace is how much later than its deadline a call may return. It is generous:
// the machine may be busy.
const grace = 2 * time.Second

// exam is one check under way.
type exam struct {
	ctx   context.Context
	h     Harness
	check string

	mu       sync.Mutex
	status   Status
	reason   string
	problems []string
	more     int // problems not kept
	clients  []core.Arbiter
}

// stop is panicked with to end a check early.
type stop struct{}

// perform runs f to its end, to the first fatal problem or to a skip, and closes
// the clients it opened.
func (x *exam) perform(f func(*exam)) {
	x.status = Passed
	x.guarded(func() { f(x) })
	for _, a := range x.clients {
		x.guarded(func() {
			if err := a.Close(); err != nil {
				x.failf("Close: %v", err)
			}
		})
	}
}

// guarded runs f and turns a panic into a problem.
func (x *exam) guarded(f func()) {
	defer func() {
		switch p := recover(); p {
		case nil, stop{}:
		default:
			x.failf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	f()
}

// failf notes a problem.
func (x *exam) failf(format string, args ...any) {
	const enough = 5
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.problems) == enough {
		x.more++
		return
	}
	x.problems = append(x.problems, fmt.Sprintf(format, args...))
}

// fatalf notes a problem and ends the check.
func (x *exam) fatalf(format string, args ...any) {
	x.failf(format, args...)
	panic(stop{})
}

// skipf ends the check as one that cannot be made here.
func (x *exam) skipf(s Status, format string, args ...any) {
	x.mu.Lock()
	x.status, x.reason = s, fmt.Sprintf(format, args...)
	x.mu.Unlock()
	panic(stop{})
}

// told returns the problems noted.
func (x *exam) told() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.more > 0 {
		return append(x.problems, fmt.Sprintf("and %d more", x.more))
	}
	return x.problems
}

// open returns a new client.
func (x *exam) open() core.Arbiter {
	a, err := x.h.Open(x.ctx)
	if err != nil {
		x.fatalf("cannot open a client: %v", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clients = append(x.clients, a)
	return a
}

// openFaulty returns a new client and what breaks its way to the store, or skips
// the check if the harness has none.
func (x *exam) openFaulty() (core.Arbiter, Faults) {
	if x.h.OpenFaulty == nil {
		x.skipf(Skipped, "the harness cannot break the way to the store")
	}
	a, faults, err := x.h.OpenFaulty(x.ctx)
	if err != nil {
		x.fatalf("cannot open a client with a faulty way to the store: %v", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clients = append(x.clients, a)
	return a, faults
}

// key returns the check's n-th key. Like an election's it ends in lease.json.
func (x *exam) key(n int) string {
	return fmt.Sprintf("%s%s-%d/lease.json", x.h.Prefix, x.check, n)
}

// rounds is how often to repeat what takes a write to one key.
func (x *exam) rounds() int {
	if x.h.WriteInterval > 0 {
		return min(x.h.Rounds, 3)
	}
	return x.h.Rounds
}

// body returns a fresh record, like an election's but for its fields. All that
// the kit makes this way have one length.
func body() []byte {
	return fmt.Appendf(nil, `{"format":1,"election":"conformance","write_id":%q}`, rand.Text())
}

// attempt is one call of CompareAndSwap that ends by deadline, or with a fatal
// problem well after it.
func (x *exam) attempt(ctx context.Context, a core.Arbiter, swap core.Swap) (core.Version, error) {
	if swap.Intent == 0 {
		swap.Intent = core.Take
	}
	return within(x, ctx, "CompareAndSwap", func() (core.Version, error) { return a.CompareAndSwap(ctx, swap) })
}

// look is one call of Read that ends by deadline, or with a fatal problem well
// after it.
func (x *exam) look(ctx context.Context, a core.Arbiter, key string) (core.Snapshot, error) {
	return within(x, ctx, "Read", func() (core.Snapshot, error) { return a.Read(ctx, key) })
}

// within waits for call until grace after ctx has ended.
func within[T any](x *exam, ctx context.Context, what string, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go x.guarded(func() {
		got := answer{err: errors.New("panicked")}
		defer func() { answers <- got }()
		got.value, got.err = call()
	})
	select {
	case got := <-answers:
		return got.value, got.err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case got := <-answers:
		return got.value, got.err
	case <-late.C:
		x.fatalf("%s had not returned %v after its deadline", what, grace)
		panic("unreachable")
	}
}

// timed returns a context for one call.
func (x *exam) timed() (context.Context, context.CancelFunc) {
	return context.WithTimeout(x.ctx, x.h.Timeout)
}

// brief returns a context for a call that is expected to be cut off: long enough
// for the request to reach the store on a busy machine.
func (x *exam) brief() (context.Context, context.CancelFunc) {
	return context.WithTimeout(x.ctx, min(x.h.Timeout, max(time.Second, 2*x.h.WriteInterval)))
}

// attempts is how often a call is repeated that certainly did nothing.
const attempts = 8

// swap makes one write, again if the store says that it is throttled.
func (x *exam) swap(a core.Arbiter, s core.Swap) (core.Version, error) {
	for try := 1; ; try++ {
		ctx, cancel := x.timed()
		v, err := x.attempt(ctx, a, s)
		cancel()
		if !errors.Is(err, core.ErrThrottled) || try == attempts {
			return v, err
		}
		x.rest(max(x.h.WriteInterval, 100*time.Millisecond))
	}
}

// rest waits d, or until the run ends.
func (x *exam) rest(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.ctx.Done():
		x.fatalf("the run ended: %v", x.ctx.Err())
	}
}

// read returns what is stored under key; a store that cannot be read is fatal.
func (x *exam) read(a core.Arbiter, key string) core.Snapshot {
	for try := 1; ; try++ {
		ctx, cancel := x.timed()
		s, err := x.look(ctx, a, key)
		cancel()
		if err == nil {
			return s
		}
		if core.ReadOutcome(err) == core.Corrupt || try == 3 {
			x.fatalf("reading %s: %v", key, err)
		}
		x.rest(100 * time.Millisecond)
	}
}

// write stores record on top of expected, which must succeed, and returns the new
// version. A write that ended unknown is looked up, as the core does.
func (x *exam) write(a core.Arbiter, key string, expected core.Version, record []byte) core.Version {
	for try := 1; ; try++ {
		v, err := x.swap(a, core.Swap{Key: key, Expected: expected, Record: record})
		switch outcome := core.WriteOutcome(err); {
		case outcome == core.Applied:
			if v == "" {
				x.fatalf("writing %s: applied, but the new version is empty", key)
			}
			return v
		case outcome == core.Unknown && try < attempts:
			if s := x.read(a, key); bytes.Equal(s.Record, record) {
				return s.Version
			}
		case outcome == core.Unavailable && try < attempts:
		default:
			x.fatalf("writing %s on version %q, which is stored: %v", key, expected, err)
		}
		x.rest(100 * time.Millisecond)
	}
}

// together runs f for 0 to n-1 at once, as nearly as can be, and waits for all. A
// fatal problem in one ends the check after that.
func (x *exam) together(n int, f func(i int)) {
	begin := make(chan struct{})
	var all sync.WaitGroup
	var finished, started = make([]bool, n), sync.WaitGroup{}
	for i := range n {
		started.Add(1)
		all.Go(func() {
			started.Done()
			<-begin
			x.guarded(func() {
				f(i)
				finished[i] = true
			})
		})
	}
	started.Wait()
	close(begin)
	all.Wait()
	for _, ok := range finished {
		if !ok {
			panic(stop{})
		}
	}
}
