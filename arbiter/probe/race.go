package probe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// raced is what came of writers that wrote at once on the same version.
type raced struct {
	applied, conflicts, open, throttled, failed int

	idle   int           // rounds that ended with what was there before
	stored core.Snapshot // what is there now
	broken string        // what proves that compare-and-swap does not hold; empty: nothing
}

// attempt is one writer's part in a race.
type attempt struct {
	record  []byte
	version core.Version
	err     error
}

// race lets all writers write at once on the expected version and looks at what
// is stored then.
func (x *examination) race(ctx context.Context, expected core.Version) (raced, error) {
	if err := x.pause(ctx); err != nil {
		return raced{}, err
	}
	attempts := x.writeAtOnce(ctx, expected)
	x.lastWrite = time.Now()
	r := count(attempts)
	if r.failed > 0 {
		return r, firstFailure(attempts)
	}
	now, err := x.readMine(ctx, 0)
	if err != nil {
		return r, err
	}
	r.stored = now
	if now.Version == expected {
		r.idle = 1
	}
	r.broken = judge(attempts, r, expected)
	return r, nil
}

func (x *examination) writeAtOnce(ctx context.Context, expected core.Version) []attempt {
	attempts := make([]attempt, x.Writers)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range attempts {
		attempts[i].record = x.nextBody()
		wg.Go(func() {
			<-start
			attempts[i].version, attempts[i].err = x.send(ctx, i%clients, x.key, expected, attempts[i].record)
		})
	}
	close(start)
	wg.Wait()
	return attempts
}

func count(attempts []attempt) (r raced) {
	for _, a := range attempts {
		switch core.WriteOutcome(a.err) {
		case core.Applied:
			r.applied++
		case core.Conflict:
			r.conflicts++
		case core.Unknown:
			r.open++
		case core.Throttled:
			r.throttled++
		default:
			r.failed++
		}
	}
	return r
}

func firstFailure(attempts []attempt) error {
	for _, a := range attempts {
		switch core.WriteOutcome(a.err) {
		case core.Applied, core.Conflict, core.Unknown, core.Throttled:
		default:
			return a.err
		}
	}
	return nil
}

// judge says what proves that not exactly one of the attempts took effect.
func judge(attempts []attempt, r raced, expected core.Version) string {
	if r.applied > 1 {
		return fmt.Sprintf("%d were applied", r.applied)
	}
	for _, a := range attempts {
		stored := string(a.record) == string(r.stored.Record)
		switch {
		case a.err == nil && !stored && r.stored.Version == expected:
			return "one was said to be applied, but a reader sees what was there before: reads are stale, or the write was lost"
		case a.err == nil && !stored:
			return "one was said to be applied, but another one is what is stored"
		case a.err == nil && a.version != r.stored.Version:
			return fmt.Sprintf("the winner was given version %s, but its record is read with version %s", a.version, r.stored.Version)
		}
	}
	return ""
}

// plus sums two races; what is stored is the later one's.
func (r raced) plus(later raced) raced {
	later.applied += r.applied
	later.conflicts += r.conflicts
	later.open += r.open
	later.throttled += r.throttled
	later.idle += r.idle
	return later
}

// fine is the observation of a race in which all went well, with what it cost.
func (r raced) fine(what string) (observation, error) {
	if r.open > 0 {
		return noted("each loser without a plain answer costs a read", "never more than one %s at once was applied: %s", what, r)
	}
	return passed("never more than one %s at once was applied: %s", what, r)
}

func (r raced) String() string {
	text := fmt.Sprintf("%d applied, %d refused", r.applied, r.conflicts)
	if r.open > 0 {
		text += fmt.Sprintf(", %d answered with an error that leaves the outcome open", r.open)
	}
	if r.throttled > 0 {
		text += fmt.Sprintf(", %d throttled", r.throttled)
	}
	return text
}
