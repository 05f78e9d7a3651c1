package agent

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// steps counts the steps of an election's loop.
type steps struct {
	node.Unobserved
	count atomic.Uint64
}

// Guarded is told after every step.
func (s *steps) Guarded(core.Instant, core.Epoch, core.Instant) { s.count.Add(1) }

// Alive has every election's loop make a step and waits for it. The error names
// one that did not before ctx ended. An election that is broken is not waited
// for: its loop steps no more, by intention, and the others run on.
func (a *Agent) Alive(ctx context.Context) error {
	all := a.all()
	before := make([]uint64, len(all))
	for i, e := range all {
		before[i] = e.steps.count.Load()
		e.restand() // says nothing new, but the loop has to look at it
	}
	for i, e := range all {
		for e.steps.count.Load() == before[i] && e.node.Status().Broken == nil {
			select {
			case <-ctx.Done():
				return fmt.Errorf("the loop of election %q does not move", e.name)
			case <-time.After(time.Millisecond):
			}
		}
	}
	return nil
}

// named is up to how many elections a summary names.
const named = 3

// Summary says in a line how the elections stand.
func (a *Agent) Summary() string {
	all := a.all()
	var words []string
	if len(all) <= named {
		for _, e := range all {
			words = append(words, summarized(e.name, a.journal.of(e.name, 1)))
		}
		return strings.Join(words, ", ")
	}
	counts := map[string]int{}
	for _, e := range all {
		for _, t := range a.journal.of(e.name, 1) {
			counts[t.To]++
		}
	}
	for p := core.NoLease; p <= core.Releasing; p++ {
		if n := counts[p.String()]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, p))
		}
	}
	return fmt.Sprintf("%d elections: %s", len(all), strings.Join(words, ", "))
}

func summarized(name string, last []client.Transition) string {
	if len(last) == 0 {
		return name + ": " + core.NoLease.String()
	}
	t := last[0]
	text := fmt.Sprintf("%s: %s", name, t.To)
	if t.To == core.Following.String() && t.Leader != "" {
		text += " " + t.Leader
	}
	return fmt.Sprintf("%s at epoch %d", text, t.Epoch)
}
