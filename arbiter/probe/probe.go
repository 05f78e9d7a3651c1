// Package probe examines a store through its arbiter: does what it promises
// hold when several clients act at once? What is found are observations, each
// with what it means for an election. It knows no store; an arbiter adds what
// it knows of its own.
package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/electd/electd/core"
)

// Subject is the store to examine.
type Subject struct {
	// Open returns a client with connections of its own; it is closed when the
	// examination is over.
	Open func(ctx context.Context) (core.Arbiter, error)

	// Key begins the name of every key that is written.
	Key string

	// Forget removes a key, so that creating it can be examined again. Without
	// it (nil, or where it fails) the same keys are used each time and creation
	// is examined only the first time.
	Forget func(ctx context.Context, key string) error

	// Resolution is that of Snapshot.StoreTime; zero: the store tells no time.
	Resolution time.Duration

	// Pause is the least time between two writes of one key that the store
	// wants; zero for none.
	Pause time.Duration

	Writers int // that race for one version; default 8
	Rounds  int // of such races; default 4
	Samples int // of each latency; default 16
}

func (s Subject) withDefaults() Subject {
	if s.Writers == 0 {
		s.Writers = 8
	}
	if s.Rounds == 0 {
		s.Rounds = 4
	}
	if s.Samples == 0 {
		s.Samples = 16
	}
	return s
}

// clients is how many clients with connections of their own take part.
const clients = 3

// Semantics examines the subject: create once, refuse a second create, swap,
// refuse a stale swap, one winner of a race, read your writes from another
// connection, missing keys, equal bytes, large records. A check that contradicts
// an election's needs gives a Refused finding with what was observed. When the
// store stops answering, the rest stays unexamined and the last finding says so.
func Semantics(ctx context.Context, s Subject) core.ProbeReport {
	x := &examination{Subject: s.withDefaults(), id: rand.Text()[:12]}
	defer x.close()
	for range clients {
		a, err := s.Open(ctx)
		if err != nil {
			x.unreachable(err)
			return x.report
		}
		x.clients = append(x.clients, a)
	}
	if err := x.prepare(ctx); err != nil {
		x.unreachable(err)
		return x.report
	}
	for _, c := range checks {
		seen, err := c.run(x, ctx)
		if errors.Is(err, errNotApplied) && x.applied.Load() { // else nothing is proven but that it is of no use
			seen, err = refused("%v", err)
		}
		if err != nil {
			x.unreachable(fmt.Errorf("while examining %s: %w", c.name, err))
			break
		}
		x.report.Findings = append(x.report.Findings, core.Finding{
			Check: c.name, Why: c.why, Verdict: seen.verdict, Observed: seen.text, Advice: seen.advice,
		})
	}
	x.clean(ctx)
	x.report.Read, x.report.Write = latencies(x.reads), latencies(x.writes)
	x.report.Offset, x.report.OffsetBy = x.clock.offset()
	x.report.Requests = int(x.requests.Load())
	return x.report
}

// unreachable adds the finding of a store that does not answer.
func (x *examination) unreachable(err error) {
	f := core.Finding{
		Check: "reachable", Why: "An election needs the store when a leader is lost.",
		Verdict: core.Unreachable, Observed: err.Error(), Advice: "nothing is proven either way; see what is said and probe again",
	}
	var foreign *foreignError
	if errors.As(err, &foreign) {
		f.Advice = "let only one node at a time probe under this key"
	}
	x.report.Findings = append(x.report.Findings, f)
}

// check is one thing to examine.
type check struct {
	name string
	why  string
	run  func(*examination, context.Context) (observation, error)
}

// checks are in the order in which they build on each other.
var checks = []check{
	{"missing-key-is-absent", "A record that does not exist must not look like an error, and an error not like a record that does not exist.", (*examination).missingIsAbsent},
	{"create-once", "Two nodes that create the record at the same moment must not both lead.", (*examination).createOnce},
	{"second-create-refused", "A node that missed the record must not replace it.", (*examination).secondCreateRefused},
	{"swap-applies", "A leader must be able to renew, a follower to take over.", (*examination).swapApplies},
	{"stale-swap-refused", "A node that was overtaken must not write over its successor.", (*examination).staleSwapRefused},
	{"swap-once", "Of several nodes that challenge at the same moment only one may lead.", (*examination).swapOnce},
	{"reads-are-fresh", "A node that reads must see the last leader, not the one before.", (*examination).readsAreFresh},
	{"swap-on-missing-refused", "A write that was on its way when the record was deleted must not bring it back.", (*examination).swapOnMissingRefused},
	{"equal-bytes", "Versions that are digests are the same for the same bytes; the core never writes the same bytes twice.", (*examination).equalBytes},
	{"ages-are-true", "A challenger waits a lease less the record's age: an age larger than the truth makes a second leader.", (*examination).agesAreTrue},
	{"holds-64-kib", "What is read must be what was written, up to the largest record.", (*examination).holdsLarge},
}

// observation is what a check saw.
type observation struct {
	verdict core.Verdict
	text    string
	advice  string
}

func passed(format string, args ...any) (observation, error) {
	return observation{verdict: core.Passed, text: fmt.Sprintf(format, args...)}, nil
}

func noted(advice, format string, args ...any) (observation, error) {
	return observation{core.Noted, fmt.Sprintf(format, args...), advice}, nil
}

func warned(advice, format string, args ...any) (observation, error) {
	return observation{core.Warned, fmt.Sprintf(format, args...), advice}, nil
}

// refused is the verdict on a store that would let two leaders live.
func refused(format string, args ...any) (observation, error) {
	return observation{core.Refused, fmt.Sprintf(format, args...), "this store cannot be an arbiter as it is; use another one"}, nil
}
