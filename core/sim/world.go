package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/electd/electd/core"
)

// World is one run of a plan.
type World struct {
	plan  Plan
	rng   *rand.Rand
	now   Time
	queue queue
	draws uint64 // counts the randomness handed to Step
	trace func(string)

	nodes    []*node
	messages slab[core.Message]
	requests slab[request]
	store    store
	net      network
	witness  witness
	faults   []running
	twins    int
	judge    judge
	seen     Coverage
	events   int
	busiest  int // requests that one session made within an arbiter lease
	digest   uint64
	fault    *Failure
	leftOut  bool
}

// Failure is an invariant that did not hold.
type Failure struct {
	Invariant string
	Text      string
	At        Time
}

// Result is what a run showed.
type Result struct {
	Seed      uint64
	Mode      Mode
	Failure   *Failure
	LeftOut   bool // it came to what the design does not cover, and was broken off
	Failovers int
	Events    int
	Simulated Time
	Busiest   int    // requests to the store that one session made within an arbiter lease
	Digest    uint64 // equal for equal runs
	Coverage  Coverage
}

// Run carries a plan out. trace, if not nil, is told of everything.
func Run(p Plan, trace func(string)) Result {
	w := newWorld(p, trace)
	w.run()
	return Result{
		Seed: p.Seed, Mode: p.Mode, Failure: w.fault, LeftOut: w.leftOut, Failovers: w.judge.failovers, Events: w.events,
		Simulated: w.now, Busiest: w.busiest, Digest: w.digest, Coverage: w.seen,
	}
}

func newWorld(p Plan, trace func(string)) *World {
	w := &World{plan: p, rng: rand.New(rand.NewPCG(p.Seed, 0x776f726c64)), trace: trace}
	w.net.init(&p)
	w.judge.init()
	for i := range p.Nodes {
		w.nodes = append(w.nodes, w.newNode(i))
		w.queue.push(happening{at: p.Nodes[i].Starts, kind: starts, node: uint8(i)})
	}
	w.faults = make([]running, len(p.Faults))
	for i := range p.Faults {
		w.arm(i)
	}
	if p.Settles > 0 {
		w.queue.push(happening{at: p.Settles, kind: resettles})
	}
	if p.Leads > 0 {
		w.queue.push(happening{at: p.Leads, kind: leads})
	}
	if p.Calms > 0 {
		w.queue.push(happening{at: p.Calms, kind: calms})
	}
	return w
}

// run handles one happening after the other until the plan's end, or until it is
// broken off: an invariant does not hold, or what comes now is not covered.
func (w *World) run() {
	defer func() {
		if p := recover(); p != nil {
			w.panicked(p)
		}
	}()
	for !w.brokenOff() {
		n := w.nextTimer()
		if n != nil && (len(w.queue.heap) == 0 || n.timer <= w.queue.heap[0].at) {
			if n.timer > w.plan.Length {
				break
			}
			w.advance(n.timer)
			w.step(n, core.Event{Kind: core.Ticked})
			continue
		}
		if len(w.queue.heap) == 0 || w.queue.heap[0].at > w.plan.Length {
			break
		}
		h := w.queue.pop()
		w.advance(h.at)
		w.happen(&h)
	}
	if !w.brokenOff() {
		w.judgeEnd()
	}
}

func (w *World) brokenOff() bool { return w.fault != nil || w.leftOut }

func (w *World) advance(to Time) {
	w.now = max(w.now, to)
	w.events++
}

func (w *World) nextTimer() *node {
	var first *node
	for _, n := range w.nodes {
		if n.up && (first == nil || n.timer < first.timer) {
			first = n
		}
	}
	return first
}

// happen handles one happening. What was meant for an earlier session is void;
// what meets a paused process waits.
func (w *World) happen(h *happening) {
	n := w.nodes[h.node]
	switch h.kind {
	case arrives, breaks, answers, saved, promoted, stopped:
		if h.life != n.life || !n.up {
			w.discard(h)
			return
		}
		if n.pausedUntil > w.now {
			n.backlog = append(n.backlog, *h)
			return
		}
	}
	switch h.kind {
	case arrives:
		w.arrive(n, h.ref)
	case dials:
		w.dial(n, int(h.peer), h.life)
	case breaks:
		w.broken(n, int(h.peer))
	case reaches:
		w.reach(h.ref)
	case answers:
		w.answered(n, h.ref)
	case saved:
		w.floorSaved(n, int64(h.ref), h.peer == 1)
	case promoted:
		w.promoteDone(n, core.OpID(h.ref), h.peer == 1)
	case stopped:
		w.stopDone(n, core.OpID(h.ref), h.peer == 1)
	case works:
		w.work(n, h.life)
	case stores:
		w.storeToWitness(n, core.Epoch(h.ref), h.life)
	case starts:
		w.start(n)
	case wakes:
		w.wake(n)
	case strikes:
		w.strike(int(h.ref))
	case subsides:
		w.subside(int(h.ref))
	case leads:
		w.judgeLeads()
	case calms:
		w.calm()
	case resettles:
		w.resettle()
	}
}

// discard frees what a void happening refers to.
func (w *World) discard(h *happening) {
	switch h.kind {
	case arrives:
		w.refused(h)
		w.messages.free(h.ref)
	case answers:
		w.letGo(h.ref)
	}
}

// panicked records what Step panicked with.
func (w *World) panicked(p any) {
	if v, ok := p.(*core.Violation); ok {
		w.fail(v.Name, "%s", v.Text)
		return
	}
	if w.trace != nil {
		panic(p)
	}
	w.fail("panic", "%v", p)
}

func (w *World) fail(invariant, format string, args ...any) {
	if w.fault == nil {
		w.fault = &Failure{Invariant: invariant, Text: fmt.Sprintf(format, args...), At: w.now}
		w.say("VIOLATION %s: %s", invariant, w.fault.Text)
	}
}

// say tells the trace. Call it only where the arguments cost nothing, or behind
// a look at w.trace.
func (w *World) say(format string, args ...any) {
	if w.trace != nil {
		w.trace(fmt.Sprintf("%12.6f  ", float64(w.now)/float64(Second)) + fmt.Sprintf(format, args...))
	}
}

// within draws a time, uniformly.
func (w *World) within(low, high Time) Time {
	if high <= low {
		return low
	}
	return low + w.rng.Int64N(high-low+1)
}

// chance is true in n of 1000 cases.
func (w *World) chance(n int) bool { return n > 0 && w.rng.IntN(1000) < n }

func duration(t Time) time.Duration { return time.Duration(t) }

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// slab keeps values that happenings refer to by number.
type slab[T any] struct {
	all   []T
	spare []int32
}

func (s *slab[T]) add() (int32, *T) {
	if n := len(s.spare); n > 0 {
		ref := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return ref, &s.all[ref]
	}
	var zero T
	s.all = append(s.all, zero)
	return int32(len(s.all) - 1), &s.all[len(s.all)-1]
}

func (s *slab[T]) free(ref int32) { s.spare = append(s.spare, ref) }
