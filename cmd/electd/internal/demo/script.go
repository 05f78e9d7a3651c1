package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/electd/electd/core"
)

// Result is what one fault did.
type Result struct {
	Event        string     `json:"event"` // "fault"
	Fault        string     `json:"fault"`
	Expect       string     `json:"expect"` // "fails_over" or "stays"
	BoundMS      int64      `json:"bound_ms"`
	FailoverMS   *float64   `json:"failover_ms"` // null: the leader stayed
	OverlapMS    float64    `json:"overlap_ms"`
	EpochBefore  core.Epoch `json:"epoch_before"`
	EpochAfter   core.Epoch `json:"epoch_after"`
	LeaderBefore string     `json:"leader_before"`
	LeaderAfter  string     `json:"leader_after"`
	Failed       string     `json:"failed,omitempty"` // what was not as expected

	shut time.Duration // of a leader that stays: how long nobody acted all the same
}

// Summary is what a whole script did.
type Summary struct {
	Event                string  `json:"event"` // "summary"
	Faults               int     `json:"faults"`
	MaxOverlapMS         float64 `json:"max_overlap_ms"` // of any fault, or of all the time if that is more
	HealthySeconds       float64 `json:"healthy_seconds"`
	StoreRequestsHealthy int64   `json:"store_requests_healthy"`
	Failed               int     `json:"failed,omitempty"`
}

// settleWithin bounds the waiting between two faults.
const settleWithin = 60 * time.Second

// healthyFor is how long the nodes are left alone before each fault, and
// healthyAtLast after all of them, to see that the store is left alone too.
const (
	healthyFor    = time.Second
	healthyAtLast = 3 * time.Second
)

// player runs faults and measures what they do.
type player struct {
	world   *world
	summary Summary
}

// play runs one fault on settled nodes.
func (p *player) play(ctx context.Context, f fault) (Result, error) {
	leader, epoch, err := p.healthy(ctx, healthyFor)
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Event: "fault", Fault: f.name, Expect: f.expect, BoundMS: f.bound(p.world.timing.lease).Milliseconds(),
		EpochBefore: epoch, LeaderBefore: leader.name,
	}
	began := clock()
	at, err := f.do(ctx, p.world, leader)
	if err != nil {
		return r, fmt.Errorf("%s: %w", f.name, err)
	}
	if f.expect == failsOver {
		err = p.failover(ctx, &r, at)
	} else {
		p.stayed(&r)
		r.shut = p.world.line.shut(at, clock())
	}
	if err := errors.Join(err, f.undo(ctx, p.world, leader)); err != nil {
		return r, fmt.Errorf("%s: %w", f.name, err)
	}
	if _, _, err := p.settle(ctx); err != nil {
		return r, fmt.Errorf("after %s: %w", f.name, err)
	}
	if err := p.world.hear(ctx); err != nil {
		return r, fmt.Errorf("after %s: %w", f.name, err)
	}
	r.OverlapMS = milliseconds(p.world.line.overlap(began))
	r.Failed = wrong(r, p.world.line.complete())
	p.count(r)
	return r, nil
}

// finish ends the nodes, and judges the time as a whole.
func (p *player) finish() error {
	p.world.end()
	p.summary.MaxOverlapMS = max(p.summary.MaxOverlapMS, milliseconds(p.world.line.overlap(0)))
	switch lost := p.world.line.complete(); {
	case lost != nil:
		return fmt.Errorf("%w: %w", ErrFailed, lost)
	case p.summary.Failed > 0 || p.summary.StoreRequestsHealthy > 0 || p.summary.MaxOverlapMS > 0:
		return ErrFailed
	}
	return nil
}

// failover waits for the next leader and measures from the fault.
func (p *player) failover(ctx context.Context, r *Result, at core.Instant) error {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	for {
		next, found, news := p.world.line.next(r.EpochBefore)
		if found {
			took := milliseconds(next.from.Sub(at))
			r.FailoverMS, r.EpochAfter, r.LeaderAfter = &took, next.epoch, next.node
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("nobody else leads: %w; the nodes' logs:\n%s", ctx.Err(), p.world.logs())
		}
	}
}

// stayed takes down who leads while the fault still lasts.
func (p *player) stayed(r *Result) {
	leader, epoch := p.world.leader()
	if leader == nil {
		return
	}
	r.LeaderAfter, r.EpochAfter = leader.name, epoch
}

// wrong says what was not as expected; lost is what is missing of the nodes'
// reports.
func wrong(r Result, lost error) string {
	switch {
	case r.OverlapMS > 0:
		return fmt.Sprintf("two guards were open at once for %.3f ms", r.OverlapMS)
	case lost != nil:
		return lost.Error()
	case r.Expect == stays && (r.LeaderAfter != r.LeaderBefore || r.EpochAfter != r.EpochBefore):
		return "the leader was to stay"
	case r.Expect == stays:
		return ""
	case r.FailoverMS == nil || r.LeaderAfter == r.LeaderBefore:
		return "another node was to lead"
	case *r.FailoverMS > float64(r.BoundMS):
		return fmt.Sprintf("the failover took longer than %d ms", r.BoundMS)
	case r.EpochAfter != r.EpochBefore+1:
		return "the epoch was to rise by one"
	}
	return ""
}

// count adds a fault to the summary.
func (p *player) count(r Result) {
	p.summary.Faults++
	p.summary.MaxOverlapMS = max(p.summary.MaxOverlapMS, r.OverlapMS)
	if r.Failed != "" {
		p.summary.Failed++
	}
}

func (p *player) settle(ctx context.Context) (*process, core.Epoch, error) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	return p.world.settle(ctx)
}

// healthy leaves settled nodes alone for a while and counts what the store gets.
func (p *player) healthy(ctx context.Context, d time.Duration) (*process, core.Epoch, error) {
	leader, epoch, err := p.settle(ctx)
	if err != nil {
		return nil, 0, err
	}
	before, since := p.world.store.requests.Load(), clock()
	if err := pause(ctx, d); err != nil {
		return nil, 0, err
	}
	p.summary.StoreRequestsHealthy += p.world.store.requests.Load() - before
	p.summary.HealthySeconds += clock().Sub(since).Seconds()
	return leader, epoch, nil
}

// milliseconds rounds up: an overlap is never nothing because it was short.
func milliseconds(d time.Duration) float64 {
	return float64((d+time.Microsecond-1)/time.Microsecond) / 1000
}
