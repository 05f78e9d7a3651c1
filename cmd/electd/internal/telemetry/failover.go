package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// Election observes one election and turns its changes of leader into traces.
type Election struct {
	node.Unobserved
	exporter *Exporter
	name     string

	mu    sync.Mutex
	heard time.Time  // the last sign of a leader, or of its release
	led   core.Epoch // at which this node last led
	now   *failover  // the one under way, or the last one; nil: none yet
}

// failover is what one node does between one leader and the next.
type failover struct {
	root  trace.SpanContext
	ended core.Epoch
	since time.Time
	took  bool            // this node challenges: the root is its to export
	phase trace.Span      // the present one; nil: none that belongs to it
	kind  core.Phase      // of phase
	below context.Context // of phase
}

// Observe returns the observer of an election.
func (e *Exporter) Observe(election string) *Election {
	return &Election{exporter: e, name: election}
}

// Received notes signs of another leader.
func (e *Election) Received(_ string, kind core.MessageKind) {
	if kind != core.Heartbeat {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = time.Now()
}

// Changed begins and ends spans.
func (e *Election) Changed(c node.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leave(c)
	switch {
	case c.To == core.NoLease && c.Reason == core.BecauseVacant:
		e.heard = c.At
	case c.From == core.Leading:
		e.heard = c.At
		e.now = e.begin(e.led, c.At)
	case c.To == core.Taking:
		e.challenge(c)
	}
	if c.To == core.Leading {
		e.led = c.Epoch
		e.lead(c)
		return
	}
	e.enter(c)
}

// begin is a failover of the epoch that ends.
func (e *Election) begin(ended core.Epoch, since time.Time) *failover {
	return &failover{root: rootOf(e.exporter.deployment, e.name, ended), ended: ended, since: since}
}

// challenge begins this node's attempt to lead, which counts from the last sign of
// a leader.
func (e *Election) challenge(c node.Change) {
	since := c.At
	if !e.heard.IsZero() {
		since = e.heard
	}
	e.now = e.begin(c.Epoch, since)
	e.now.took = true
	_, waiting := e.start(e.now.context(), "waiting for the lease", since)
	waiting.SetAttributes(because(c.Reason))
	waiting.End(trace.WithTimestamp(c.At))
}

// context is below the root, which may be another node's.
func (f *failover) context() context.Context {
	return trace.ContextWithRemoteSpanContext(context.Background(), f.root)
}

// place is below the present phase, if there is one.
func (f *failover) place() context.Context {
	if f.phase != nil {
		return f.below
	}
	return f.context()
}

// enter begins the span of a phase in which a failover goes on.
func (e *Election) enter(c node.Change) {
	f := e.now
	if f == nil || c.To == core.NoLease || c.To == core.Following {
		return
	}
	f.below, f.phase = e.start(f.context(), c.To.String(), c.At)
	f.kind = c.To
	f.phase.SetAttributes(because(c.Reason))
}

// leave ends the span of the phase that is over.
func (e *Election) leave(c node.Change) {
	f := e.now
	if f == nil || f.phase == nil {
		return
	}
	f.phase.SetAttributes(attribute.String("electd.next_phase", c.To.String()), attribute.String("electd.next_because", string(c.Reason)))
	if f.kind == core.Taking && !c.To.Holds() || f.kind == core.Promoting && c.To != core.Leading {
		f.phase.SetStatus(codes.Error, string(c.Reason))
	}
	f.phase.End(trace.WithTimestamp(c.At))
	f.phase = nil
}

// lead exports the root of the failover that is over, if this node took the lease.
func (e *Election) lead(c node.Change) {
	f := e.now
	if f == nil || !f.took {
		return
	}
	f.took = false
	ctx := context.WithValue(context.Background(), given{}, f.root)
	_, root := e.start(ctx, "failover", f.since, trace.WithNewRoot())
	root.SetAttributes(attribute.Int64("electd.epoch", int64(c.Epoch)), attribute.String("electd.leader", c.Leader))
	root.End(trace.WithTimestamp(c.At))
}

// start begins a span with what all have.
func (e *Election) start(ctx context.Context, name string, at time.Time, more ...trace.SpanStartOption) (context.Context, trace.Span) {
	options := append(more, trace.WithTimestamp(at), trace.WithAttributes(
		attribute.String("electd.election", e.name), attribute.Int64("electd.epoch_ended", int64(e.now.ended)),
	))
	return e.exporter.tracer.Start(ctx, name, options...)
}

func because(r core.Reason) attribute.KeyValue { return attribute.String("electd.because", string(r)) }

// Answered exports a request to the arbiter that a failover waited for.
func (e *Election) Answered(c node.Call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil || e.now.phase == nil {
		return
	}
	e.child("arbiter "+operation(c.Intent), c.Took, c.Outcome.String(), c.Err)
}

func operation(i core.Intent) string {
	switch i {
	case core.Take:
		return "take"
	case core.Renew:
		return "renew"
	case core.Release:
		return "release"
	}
	return "read"
}

// HookRan exports a hook, from any goroutine.
func (e *Election) HookRan(hook, outcome string, took time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return
	}
	e.child("hook "+hook, took, outcome, err)
}

// ProgramStarted exports the start of the supervised program.
func (e *Election) ProgramStarted(took time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return
	}
	outcome := "started"
	if err != nil {
		outcome = "not started"
	}
	e.child("program start", took, outcome, err)
}

// child exports something that is just over. The caller holds mu.
func (e *Election) child(name string, took time.Duration, outcome string, err error) {
	end := time.Now()
	_, span := e.start(e.now.place(), name, end.Add(-took))
	span.SetAttributes(attribute.String("electd.outcome", outcome))
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End(trace.WithTimestamp(end))
}
