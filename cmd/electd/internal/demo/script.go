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
}

// Summary is what a whole script did.
type Summary struct {
	Event                string  `json:"event"` // "summary"
	Faults               int     `json:"faults"`
	MaxOverlapMS         float64 `json:"max_overlap_ms"`
	HealthySeconds       float64 `json:"healthy_seconds"`
	StoreRequestsHealthy int64   `json:"store_requests_healthy"`
	Failed               int     `json:"failed"`
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
		Event: "fault", Fault: f.name, Expect: f.expect, BoundMS: f.bound.Milliseconds(),
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
	}
	// A leader that was frozen is thawed only well past its lease.
	if f.name == "freeze" {
		err = errors.Join(err, pause(ctx, heartbeatLease))
	}
	if err := errors.Join(err, f.undo(p.world, leader)); err != nil {
		return r, fmt.Errorf("%s: %w", f.name, err)
	}
	if _, _, err := p.settle(ctx); err != nil {
		return r, fmt.Errorf("after %s: %w", f.name, err)
	}
	r.OverlapMS = milliseconds(p.world.line.overlap(began))
	p.judge(&r, f)
	return r, nil
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
		r.EpochAfter = r.EpochBefore
		return
	}
	r.LeaderAfter, r.EpochAfter = leader.name, epoch
}

// judge says what was not as expected.
func (p *player) judge(r *Result, f fault) {
	switch {
	case r.OverlapMS > 0:
		r.Failed = fmt.Sprintf("two guards were open at once for %.3f ms", r.OverlapMS)
	case f.expect == stays && (r.LeaderAfter != r.LeaderBefore || r.EpochAfter != r.EpochBefore):
		r.Failed = "the leader was to stay"
	case f.expect == failsOver && r.LeaderAfter == r.LeaderBefore:
		r.Failed = "another node was to lead"
	case f.expect == failsOver && *r.FailoverMS > milliseconds(f.bound):
		r.Failed = fmt.Sprintf("the failover took longer than %s", f.bound)
	case f.expect == failsOver && r.EpochAfter != r.EpochBefore+1:
		r.Failed = "the epoch was to rise by one"
	}
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

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
