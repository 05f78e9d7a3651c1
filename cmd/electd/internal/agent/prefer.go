package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"
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

// takenWithin is how long a node that was asked is looked at for whether it takes.
const takenWithin = 5 * time.Second

// preference is what an election has done of late to have a preferred node lead.
type preference struct {
	asked map[string]handOver    // by node; without those that have led since
	why   atomic.Pointer[string] // of the hand-over under way; nil: none
}

// handOver is one hand-over to a node that has not been seen to lead since.
type handOver struct {
	pause time.Duration
	again time.Time // not before
}

// prefer hands over what this node leads to the first of the nodes that the arbiter
// would rather see lead that may take it.
func (a *Agent) prefer(ctx context.Context, r core.ArbiterReport) {
	var all sync.WaitGroup
	for _, e := range a.all() {
		all.Go(func() { e.prefer(ctx, r.Preferred, time.Now()) })
	}
	all.Wait()
}

// prefer is by hand-over alone: nothing is taken from a leader, and a target that
// cannot take costs one change of leader now and then.
func (e *election) prefer(ctx context.Context, nodes []string, now time.Time) {
	p := &e.preference
	target := p.due(e.node.Status(), nodes, now)
	if target == "" {
		return
	}
	why := fmt.Sprintf("%s: the arbiter prefers %s, which ranks higher and has been up for long enough", core.BecauseHandOver, target)
	p.why.Store(&why)
	defer p.why.Store(nil)
	within, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	e.log.Info("hands over to the node that the arbiter prefers: it ranks higher and has been up for long enough", "to", target)
	if err := e.node.StepDown(within, target); err != nil && within.Err() == nil {
		e.log.Info("not handed over", "to", target, "error", err)
		return
	}
	p.note(target, now)
	if leads(ctx, e.node.Status, target) {
		p.led(target)
	}
}

// due returns the node to hand over to now, or "": the first of those that should
// lead that may take, if this node leads. A pause keeps things as they are.
func (p *preference) due(s node.Status, nodes []string, now time.Time) string {
	if !s.Leading {
		p.led(s.Leader)
		return ""
	}
	if s.Standing.Paused {
		return ""
	}
	for _, target := range nodes {
		if mayTake(s, target) && !now.Before(p.asked[target].again) {
			return target
		}
	}
	return ""
}

// note notes that the target was asked to take.
func (p *preference) note(target string, now time.Time) {
	if p.asked == nil {
		p.asked = map[string]handOver{}
	}
	pause := min(max(preferAgain, 2*p.asked[target].pause), preferAtLeast)
	p.asked[target] = handOver{pause: pause, again: now.Add(pause)}
}

// led notes that a node has led: it did take.
func (p *preference) led(target string) { delete(p.asked, target) }

// leads reports whether the target comes to lead, if only for a moment, in the time
// that a node needs to take.
func leads(ctx context.Context, status func() node.Status, target string) bool {
	for end := time.Now().Add(takenWithin); ; {
		s := status()
		if s.Leader == target {
			return true
		}
		if s.Leading || !time.Now().Before(end) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
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
