package arbitertest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// lostAnswer loses the answer to a create and to a swap, and resolves each by a
// read that another client makes.
func lostAnswer(x *exam) {
	a, faults := x.openFaulty()
	if faults.LoseAnswer == nil {
		x.skipf(Skipped, "the harness cannot lose an answer")
	}
	b := x.open()
	key := x.key(0)
	var version core.Version
	for _, kind := range []string{"create", "swap"} {
		record := body()
		faults.LoseAnswer()
		ctx, cancel := x.brief()
		_, err := x.attempt(ctx, a, core.Swap{Key: key, Expected: version, Record: record})
		cancel()
		if core.WriteOutcome(err) != core.Unknown {
			x.failf("a %s whose answer was lost is not of unknown outcome: %v", kind, err)
		}
		s := x.read(b, key)
		if !bytes.Equal(s.Record, record) {
			x.fatalf("a %s whose answer was lost cannot be recognised: %.80q is stored, and %.80q was written", kind, s.Record, record)
		}
		// The core may write again on the version it expected.
		_, err = x.swap(a, core.Swap{Key: key, Expected: version, Record: body()})
		x.refused(err, "a second "+kind+" on the version that the lost one replaced")
		x.unchanged(b, key, s.Version, record)
		version = s.Version
	}
}

// noRetry loses a write on its way. A client that reports success, or whose
// write appears after all, has sent it again.
func noRetry(x *exam) {
	a, faults := x.openFaulty()
	if faults.LoseRequest == nil {
		x.skipf(Skipped, "the harness cannot lose a request")
	}
	b := x.open()
	record := body()
	v := x.write(b, x.key(0), "", record)
	faults.LoseRequest()
	ctx, cancel := x.brief()
	defer cancel()
	_, err := x.attempt(ctx, a, core.Swap{Key: x.key(0), Expected: v, Record: body()})
	if outcome := core.WriteOutcome(err); outcome != core.Unknown && outcome != core.Unavailable {
		x.failf("a write that was lost on its way is %v: %v", outcome, err)
	}
	for range 3 {
		if s := x.read(b, x.key(0)); !bytes.Equal(s.Record, record) {
			x.fatalf("a write that was lost on its way took effect: it was sent again")
		}
		x.rest(200 * time.Millisecond)
	}
}

// lateWrite lets a write arrive after its sender has given up: once after another
// node took, and once before another node tries to. An arbiter that can call its
// write back may say that it was not applied, and then it must not be.
func lateWrite(x *exam) {
	a, faults := x.openFaulty()
	if faults.HoldWrite == nil {
		x.skipf(Skipped, "the harness cannot hold a write back")
	}
	b := x.open()
	hold := func() (release func()) { return sync.OnceFunc(faults.HoldWrite()) }
	send := func(key string, expected core.Version, record []byte) core.Outcome {
		ctx, cancel := x.brief()
		defer cancel()
		_, err := x.attempt(ctx, a, core.Swap{Key: key, Expected: expected, Record: record})
		outcome := core.WriteOutcome(err)
		if outcome != core.Unknown && outcome != core.Unavailable {
			x.failf("a write that was still on its way at its deadline is %v: %v", outcome, err)
		}
		return outcome
	}

	key := x.key(0)
	v := x.write(b, key, "", body())
	arrive := hold()
	defer arrive()
	send(key, v, body())
	taken := body()
	v = x.write(b, key, v, taken)
	arrive()
	x.unchanged(b, key, v, taken)

	key = x.key(1)
	early, late := body(), body()
	v = x.write(b, key, "", early)
	arrive = hold()
	defer arrive()
	outcome := send(key, v, late)
	arrive()
	if outcome == core.Unavailable {
		x.unchanged(b, key, v, early)
		return
	}
	_, err := x.swap(b, core.Swap{Key: key, Expected: v, Record: body()})
	x.refused(err, "a swap on the version that a late write replaced")
	if s := x.read(b, key); !bytes.Equal(s.Record, late) {
		x.failf("a write that arrived late, on the version it expected, is not stored")
	}
}

// honestOutcome gives writes so little time that some are cut off on their way,
// and compares what was said of each with what is stored.
func honestOutcome(x *exam) {
	const tries = 40
	a, b := x.open(), x.open()
	usual := x.latency(a)
	type attempt struct {
		record  []byte
		outcome core.Outcome
		err     error
	}
	var made []attempt
	for n := range tries {
		ctx, cancel := context.WithTimeout(x.ctx, 2*usual*time.Duration(n)/tries)
		record := body()
		_, err := x.attempt(ctx, a, core.Swap{Key: x.key(n), Record: record})
		cancel()
		made = append(made, attempt{record, core.WriteOutcome(err), err})
	}
	x.rest(10 * usual) // for those that are still on their way
	for n, m := range made {
		stored := bytes.Equal(x.read(b, x.key(n)).Record, m.record)
		switch {
		case m.outcome == core.Applied && !stored:
			x.failf("a write was told that it was applied, and is not stored")
		case m.outcome != core.Applied && m.outcome != core.Unknown && stored:
			x.failf("a write is stored that was told it is certainly not: %v", m.err)
		}
	}
}

// latency returns the median time of a few creates.
func (x *exam) latency(a core.Arbiter) time.Duration {
	const samples = 5
	var took []time.Duration
	for n := range samples {
		start := time.Now()
		x.write(a, x.key(1000+n), "", body())
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return max(took[samples/2], time.Millisecond)
}
