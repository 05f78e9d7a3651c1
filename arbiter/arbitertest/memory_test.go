package arbitertest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

// wrapper makes a client's calls pass through something else; nil passes them on.
type wrapper func(*memory.Client) core.Arbiter

// onMemory is a harness on an in-memory store with a latency of about a
// millisecond each way.
func onMemory(store *memory.Store, wrap wrapper) arbitertest.Harness {
	if wrap == nil {
		wrap = func(c *memory.Client) core.Arbiter { return c }
	}
	var mu sync.Mutex
	broken := map[string]*breakage{}
	store.Plan(func(c memory.Call) memory.Fate {
		mu.Lock()
		defer mu.Unlock()
		if b := broken[c.Client]; b != nil {
			return b.next(c)
		}
		return latency()
	})
	return arbitertest.Harness{
		Open: func(context.Context) (core.Arbiter, error) { return wrap(store.Client("")), nil },
		OpenFaulty: func(context.Context) (core.Arbiter, arbitertest.Faults, error) {
			mu.Lock()
			defer mu.Unlock()
			name := fmt.Sprint("faulty ", len(broken))
			b := &breakage{mu: &mu}
			broken[name] = b
			return wrap(store.Client(name)), b.faults(), nil
		},
	}
}

// latency is the fate of an undisturbed request.
func latency() memory.Fate {
	return memory.Slow(rand.N(2*time.Millisecond), rand.N(2*time.Millisecond))
}

// errReset is what a client sees of a connection that breaks.
var errReset = errors.New("connection reset by peer")

// breakage is what shall happen to one client's requests.
type breakage struct {
	mu        *sync.Mutex
	nextWrite *memory.Fate
	silent    bool
}

// next is the fate of one request.
func (b *breakage) next(c memory.Call) memory.Fate {
	if b.silent {
		return memory.LoseAnswer()
	}
	if c.Write && b.nextWrite != nil {
		fate := *b.nextWrite
		b.nextWrite = nil
		return fate
	}
	return latency()
}

// faults are the kit's handles on b.
func (b *breakage) faults() arbitertest.Faults {
	plan := func(f memory.Fate) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.nextWrite = &f
	}
	return arbitertest.Faults{
		LoseRequest: func() { plan(memory.Refuse(errReset)) },
		LoseAnswer:  func() { plan(memory.Answer(errReset)) },
		HoldWrite: func() func() {
			release := make(chan struct{})
			plan(memory.Held(release))
			return func() {
				close(release)
				time.Sleep(10 * time.Millisecond) // for it to arrive
			}
		},
		Silence: func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.silent = true
		},
	}
}
