package core

import (
	"context"
	"time"
)

// Prober is an optional capability of an Arbiter: examine the store itself,
// under concurrency, on a key of its own, and say what was observed. Probing
// writes only keys that begin with the given one.
type Prober interface {
	Probe(ctx context.Context, key string) (ProbeReport, error)
}

// ProbeReport is what a probe found, for people and for machines.
type ProbeReport struct {
	Store    string        // what kind of server answered, as far as it tells
	Findings []Finding     // in the order they were checked
	Read     Latencies     // of reads
	Write    Latencies     // of conditional writes
	Offset   time.Duration // store's clock less this node's
	OffsetBy time.Duration // uncertainty of Offset, either way; zero if Offset is unknown
	Requests int           // what the probe cost
}

// Finding is one thing that was checked.
type Finding struct {
	Check    string  // name, in kebab-case: "stale-swap-refused"
	Why      string  // one sentence: what would go wrong without it
	Verdict  Verdict // what it means for an election
	Observed string  // what the store did
	Advice   string  // what to do; empty when all is well
}

// Verdict grades a Finding.
type Verdict uint8

// The verdicts, from best to worst. A store with a Refused finding would let
// two leaders live; an election must not start on it.
const (
	Passed Verdict = iota + 1
	Noted
	Warned
	Unreachable // the store did not answer: nothing is proven either way
	Refused
)

// String returns the verdict as it is printed.
func (v Verdict) String() string {
	switch v {
	case Passed:
		return "ok"
	case Noted:
		return "note"
	case Warned:
		return "warning"
	case Unreachable:
		return "unreachable"
	case Refused:
		return "refused"
	}
	return "none"
}

// Worst returns the worst verdict of the report's findings; Passed if it has none.
func (r ProbeReport) Worst() Verdict {
	worst := Passed
	for _, f := range r.Findings {
		worst = max(worst, f.Verdict)
	}
	return worst
}

// Latencies are percentiles of one kind of request.
type Latencies struct {
	Count         int
	P50, P90, P99 time.Duration
}
