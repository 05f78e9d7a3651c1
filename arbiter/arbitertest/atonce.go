package arbitertest

import (
	"context"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// running is a run under way. Checks use keys and clients of their own, so that
// many can be made at once: most of their time is spent on waiting.
type running struct {
	ctx     context.Context
	h       Harness
	results []Result
	done    []chan struct{} // closed when the result is there
	all     sync.WaitGroup
}

// begin starts all checks but those that must be alone.
func begin(ctx context.Context, h Harness) *running {
	h.Open, h.OpenFaulty = oneByOne(h)
	r := &running{ctx: ctx, h: h, results: make([]Result, len(checks)), done: make([]chan struct{}, len(checks))}
	turn := make(chan struct{}, h.AtOnce)
	for i, c := range checks {
		r.done[i] = make(chan struct{})
		if c.alone {
			continue
		}
		r.all.Go(func() {
			defer close(r.done[i])
			turn <- struct{}{}
			defer func() { <-turn }()
			r.results[i] = c.examine(ctx, h)
		})
	}
	return r
}

// finish waits for a check, or makes it if it must be alone, and adds its result
// to the report. Results come in the order of the checks: what they say of each
// other is known by then.
func (r *running) finish(i int, report *Report) Result {
	if checks[i].alone {
		r.all.Wait()
		r.results[i] = checks[i].examine(r.ctx, r.h)
	} else {
		<-r.done[i]
	}
	result := r.results[i]
	if by := report.blocker(checks[i].needs); by != "" && result.Status != NotApplicable {
		result = Result{Name: result.Name, Why: result.Why, Status: Skipped, Reason: "says nothing while " + by + " fails", blocker: by}
	}
	report.Results = append(report.Results, result)
	if r.h.OnResult != nil {
		r.h.OnResult(result)
	}
	return result
}

// examine makes the check, unless the harness or the context forbids it.
func (c check) examine(ctx context.Context, h Harness) (result Result) {
	result = Result{Name: c.name, Why: c.why, Status: Skipped}
	if reason, skip := h.Skip[c.name]; skip {
		result.Reason = reason
		return result
	}
	if err := ctx.Err(); err != nil {
		result.Reason = err.Error()
		return result
	}
	x := &exam{ctx: ctx, h: h, check: c.name}
	start := time.Now()
	x.perform(c.run)
	result.Took = time.Since(start)
	result.Status, result.Reason, result.Problems = x.status, x.reason, x.told()
	if len(result.Problems) > 0 {
		result.Status = Failed
	}
	return result
}

// oneByOne returns the harness's two ways to open a client, never called at once.
func oneByOne(h Harness) (func(context.Context) (core.Arbiter, error), func(context.Context) (core.Arbiter, Faults, error)) {
	var mu sync.Mutex
	open := func(ctx context.Context) (core.Arbiter, error) {
		mu.Lock()
		defer mu.Unlock()
		return h.Open(ctx)
	}
	if h.OpenFaulty == nil {
		return open, nil
	}
	return open, func(ctx context.Context) (core.Arbiter, Faults, error) {
		mu.Lock()
		defer mu.Unlock()
		return h.OpenFaulty(ctx)
	}
}
