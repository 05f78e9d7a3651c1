package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// outage tells of a failing arbiter for all elections together: that it fails,
// and in which new way, and at last that it answers all of them again. What
// happens in between, or to one more election, is told at debug.
type outage struct {
	log hclog.Logger

	mu      sync.Mutex
	since   time.Time
	failing map[string]bool       // elections whose last call failed
	hit     map[string]bool       // elections that had a call fail in this outage
	told    map[core.Outcome]bool // how it failed so far
}

func newOutage(log hclog.Logger) *outage {
	return &outage{log: log, failing: map[string]bool{}, hit: map[string]bool{}, told: map[core.Outcome]bool{}}
}

// answered takes note of one call's end.
func (o *outage) answered(election string, c node.Call) {
	switch {
	case errors.Is(c.Err, context.Canceled): // the election ends
		o.log.Debug("a call to the arbiter was broken off", "election", election, "error", c.Err)
	case c.Outcome == core.Conflict:
		o.log.Debug("the arbiter's record has changed", "election", election, "error", c.Err)
	case c.Outcome == core.Applied:
		o.succeeded(election)
	default:
		o.failed(election, c)
	}
}

func (o *outage) failed(election string, c node.Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.failing) == 0 {
		o.since = time.Now()
	}
	o.failing[election], o.hit[election] = true, true
	tell := o.log.Debug
	if !o.told[c.Outcome] {
		o.told[c.Outcome] = true
		tell = o.log.Warn
	}
	tell("the arbiter fails", "election", election, "outcome", c.Outcome.String(), "error", c.Err, "took", c.Took)
}

func (o *outage) succeeded(election string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.failing[election] {
		return
	}
	delete(o.failing, election)
	if len(o.failing) > 0 {
		return
	}
	o.log.Info("the arbiter answers again", "after", time.Since(o.since).Round(time.Millisecond), "elections_concerned", len(o.hit))
	o.end()
}

// end lets the next outage be told anew.
func (o *outage) end() {
	clear(o.hit)
	clear(o.told)
}

// forget drops an election that is no more.
func (o *outage) forget(election string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.failing, election)
	if len(o.failing) == 0 {
		o.end()
	}
}
