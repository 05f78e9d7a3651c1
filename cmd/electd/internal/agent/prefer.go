package agent

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// A hand-over to the node that the arbiter prefers is not tried again for
// preferAgain, and for twice as long each time until that node has led.
const (
	preferAgain   = time.Minute
	preferAtLeast = time.Hour // tried once in so long, however often it failed
)

// preference is what an election has done of late to have the preferred node
// lead.
type preference struct {
	target string // asked to take last
	pause  time.Duration
	again  time.Time              // not before
	why    atomic.Pointer[string] // of the hand-over under way; nil: none
}

// prefer hands over what this node leads to the node that the arbiter would
// rather see lead.
func (a *Agent) prefer(ctx context.Context, r core.ArbiterReport) {
	for _, e := range a.all() {
		e.prefer(ctx, r.Preferred, time.Now())
	}
}

// prefer is by hand-over alone: nothing is taken from a leader, and a target that
// cannot take costs one change of leader now and then.
func (e *election) prefer(ctx context.Context, target string, now time.Time) {
	p := &e.preference
	if !p.due(e.node.Status(), target, now) {
		return
	}
	why := fmt.Sprintf("%s: the arbiter prefers %s, which ranks higher and has been up for long enough", core.BecauseHandOver, target)
	p.why.Store(&why)
	defer p.why.Store(nil)
	ctx, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	if err := e.node.StepDown(ctx, target); err != nil && ctx.Err() == nil {
		e.log.Debug("not handed over to the node that the arbiter prefers", "to", target, "error", err)
		return
	}
	p.asked(target, now)
	e.log.Info("handed over to the node that the arbiter prefers", "to", target)
}

// due reports whether this node leads and the target should and may take; a pause
// keeps things as they are. A target that is seen to lead has taken: what was to
// wait for is over.
func (p *preference) due(s node.Status, target string, now time.Time) bool {
	if !s.Leading {
		if s.Leader != "" && s.Leader == p.target {
			p.target, p.pause, p.again = "", 0, time.Time{}
		}
		return false
	}
	return target != "" && !s.Standing.Paused && mayTake(s, target) && !now.Before(p.again)
}

// asked notes that the target was asked to take.
func (p *preference) asked(target string, now time.Time) {
	p.pause = min(max(preferAgain, 2*p.pause), preferAtLeast)
	p.target, p.again = target, now.Add(p.pause)
}

// mayTake reports whether a peer is an elector that acknowledges and may stand.
func mayTake(s node.Status, target string) bool {
	return slices.ContainsFunc(s.Peers, func(p node.PeerStatus) bool {
		return p.Node == target && p.Elector && p.Acknowledges && p.Eligible && !p.Paused
	})
}

// explain says more of a reason where more is known.
func (p *preference) explain(reason core.Reason) string {
	if why := p.why.Load(); why != nil && reason == core.BecauseHandOver {
		return *why
	}
	return string(reason)
}
