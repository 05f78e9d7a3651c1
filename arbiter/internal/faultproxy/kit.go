package faultproxy

import (
	"net/http"
	"sync"

	"github.com/electd/electd/arbiter/arbitertest"
)

// Faults are the conformance kit's handles on the proxy, which from now on
// decides by them. isWrite tells a write from every other request.
func (p *Proxy) Faults(isWrite func(*http.Request) bool) arbitertest.Faults {
	var (
		mu     sync.Mutex
		once   Verdict // of the next write
		silent bool
	)
	p.Decide(func(r *http.Request) Verdict {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case silent:
			return Hang()
		case once != nil && isWrite(r):
			v := once
			once = nil
			return v
		}
		return nil
	})
	next := func(v Verdict) {
		mu.Lock()
		defer mu.Unlock()
		once = v
	}
	return arbitertest.Faults{
		LoseRequest: func() { next(DropRequest()) },
		LoseAnswer:  func() { next(DropAnswer()) },
		HoldWrite: func() func() {
			late := NewLate()
			next(late.Verdict())
			return func() { _, _ = late.Apply() }
		},
		Silence: func() {
			mu.Lock()
			defer mu.Unlock()
			silent = true
		},
	}
}
