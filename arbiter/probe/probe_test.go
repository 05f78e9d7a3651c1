package probe_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// subject is a store in memory whose clients break is put around.
func subject(store *memory.Store, around func(core.Arbiter) core.Arbiter) probe.Subject {
	return probe.Subject{
		Key: "probe",
		Open: func(context.Context) (core.Arbiter, error) {
			return around(store.Client("probe")), nil
		},
		Forget: func(_ context.Context, key string) error {
			store.Delete(key)
			return nil
		},
	}
}

func sound(a core.Arbiter) core.Arbiter { return a }

func find(t *testing.T, r core.ProbeReport, check string) core.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %s in %+v", check, r.Findings)
	return core.Finding{}
}

func TestASoundStorePasses(t *testing.T) {
	store := memory.NewStore()
	r := probe.Semantics(context.Background(), subject(store, sound))
	if r.Worst() != core.Passed || len(r.Findings) != 11 {
		t.Errorf("%d findings, worst %s: %+v", len(r.Findings), r.Worst(), r.Findings)
	}
	if c := store.Counts(); r.Requests < c.Reads+c.Writes || r.Requests > c.Reads+c.Writes+3 {
		t.Errorf("%d requests counted, the store saw %d reads and %d writes", r.Requests, c.Reads, c.Writes)
	}
}

// What a sound store does now and then must not be taken for a broken promise.
func TestFaultsOfASoundStore(t *testing.T) {
	for _, c := range []struct {
		name  string
		fate  memory.Fate
		every int64
	}{
		{"conflict after commit", memory.Answer(core.ErrConflict), 5},
		{"unknown after commit", memory.Answer(core.ErrUnknown), 4},
		{"unknown before commit", memory.Refuse(core.ErrUnknown), 4},
		{"throttled", memory.Refuse(core.ErrThrottled), 31},
		{"conflict for nothing", memory.Refuse(core.ErrConflict), 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := memory.NewStore()
			var n atomic.Int64
			store.Plan(func(call memory.Call) memory.Fate {
				if call.Write && n.Add(1)%c.every == 0 {
					return c.fate
				}
				return memory.Pass()
			})
			if r := probe.Semantics(context.Background(), subject(store, sound)); r.Worst() > core.Warned {
				t.Errorf("worst is %s: %+v", r.Worst(), r.Findings)
			}
		})
	}
}

// broken is an arbiter with one promise broken.
type broken struct {
	core.Arbiter
	read func(core.Arbiter, context.Context, string) (core.Snapshot, error)
	swap func(core.Arbiter, context.Context, core.Swap) (core.Version, error)
}

func (b broken) Read(ctx context.Context, key string) (core.Snapshot, error) {
	if b.read == nil {
		return b.Arbiter.Read(ctx, key)
	}
	return b.read(b.Arbiter, ctx, key)
}

func (b broken) CompareAndSwap(ctx context.Context, s core.Swap) (core.Version, error) {
	if b.swap == nil {
		return b.Arbiter.CompareAndSwap(ctx, s)
	}
	return b.swap(b.Arbiter, ctx, s)
}

// overwrite swaps on whatever is there.
func overwrite(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
	now, err := a.Read(ctx, s.Key)
	if err != nil {
		return "", err
	}
	s.Expected = now.Version
	return a.CompareAndSwap(ctx, s)
}

func TestBrokenPromises(t *testing.T) {
	for _, c := range []struct {
		name    string
		broken  broken
		check   string
		verdict core.Verdict
		says    string
	}{
		{"creates over a record", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			if s.Expected == "" {
				return overwrite(a, ctx, s)
			}
			return a.CompareAndSwap(ctx, s)
		}}, "second-create-refused", core.Refused, "the condition is ignored"},
		{"ignores the version", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			if s.Expected != "" {
				return overwrite(a, ctx, s)
			}
			return a.CompareAndSwap(ctx, s)
		}}, "stale-swap-refused", core.Refused, "the condition is ignored"},
		{"refuses after the deed", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			v, err := a.CompareAndSwap(ctx, s)
			if errors.Is(err, core.ErrConflict) && s.Expected != "" {
				_, _ = overwrite(a, ctx, s)
			}
			return v, err
		}}, "stale-swap-refused", core.Refused, "although it was answered"},
		{"one version for all", broken{
			swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
				if s.Expected != "" {
					return "same", errors.Join(second(overwrite(a, ctx, s)))
				}
				_, err := a.CompareAndSwap(ctx, s)
				return "same", err
			},
			read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
				s, err := a.Read(ctx, key)
				if s.Version != "" {
					s.Version = "same"
				}
				return s, err
			},
		}, "swap-applies", core.Refused, "left the version as it was"},
		{"cuts large records", broken{read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			s, err := a.Read(ctx, key)
			s.Record = s.Record[:min(len(s.Record), 4096)]
			return s, err
		}}, "holds-64-kib", core.Refused, "4096"},
		{"refuses large records", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			if len(s.Record) > 4096 {
				return "", core.ErrInvalid
			}
			return a.CompareAndSwap(ctx, s)
		}}, "holds-64-kib", core.Warned, "were refused"},
		{"brings back what is gone", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			if now, err := a.Read(ctx, s.Key); err == nil && now.Version == "" {
				s.Expected = ""
			}
			return a.CompareAndSwap(ctx, s)
		}}, "swap-on-missing-refused", core.Warned, "never delete"},
		{"never applies", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			if s.Expected != "" {
				return "", core.ErrConflict
			}
			return a.CompareAndSwap(ctx, s)
		}}, "swap-applies", core.Refused, "not applied 5 times"},
		{"ages of an hour", broken{read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			s, err := a.Read(ctx, key)
			if s.Version != "" {
				s.Age = time.Hour
			}
			return s, err
		}}, "ages-are-true", core.Refused, "an age of 1h0m0s, and its write had begun only"},
		{"ages a second too large", broken{read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			s, err := a.Read(ctx, key)
			if s.Version != "" {
				s.Age += time.Second
			}
			return s, err
		}}, "ages-are-true", core.Refused, "and its write had begun only"},
		{"an age of nothing", broken{read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			s, err := a.Read(ctx, key)
			if s.Version == "" {
				s.Age = time.Second
			}
			return s, err
		}}, "ages-are-true", core.Refused, "a key that holds nothing was read with an age of 1s"},
		{"no ages", broken{read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			s, err := a.Read(ctx, key)
			s.Age = 0
			return s, err
		}}, "ages-are-true", core.Passed, "no age was told"},
		{"losers get errors", broken{swap: func(a core.Arbiter, ctx context.Context, s core.Swap) (core.Version, error) {
			v, err := a.CompareAndSwap(ctx, s)
			if errors.Is(err, core.ErrConflict) {
				return "", core.ErrUnknown
			}
			return v, err
		}}, "swap-once", core.Noted, "leaves the outcome open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := probe.Semantics(context.Background(), subject(memory.NewStore(), func(a core.Arbiter) core.Arbiter {
				b := c.broken
				b.Arbiter = a
				return b
			}))
			if f := find(t, r, c.check); f.Verdict != c.verdict || !strings.Contains(f.Observed+f.Advice, c.says) {
				t.Errorf("%s: %s (%s), want %s: %s", f.Verdict, f.Observed, f.Advice, c.verdict, c.says)
			}
			if c.verdict != core.Refused && r.Worst() == core.Refused {
				t.Errorf("refused as well: %+v", r.Findings)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestKeysThatCannotBeRemoved(t *testing.T) {
	store := memory.NewStore()
	s := subject(store, sound)
	s.Forget = nil
	first := probe.Semantics(context.Background(), s)
	if f := find(t, first, "create-once"); f.Verdict != core.Passed {
		t.Errorf("first: %s: %s", f.Verdict, f.Observed)
	}
	again := probe.Semantics(context.Background(), s)
	if f := find(t, again, "create-once"); f.Verdict != core.Noted || again.Worst() != core.Noted {
		t.Errorf("again: %s: %s; worst %s", f.Verdict, f.Observed, again.Worst())
	}
}

func TestSomeoneElseWritesTheKey(t *testing.T) {
	store := memory.NewStore()
	var n atomic.Int64
	s := subject(store, func(a core.Arbiter) core.Arbiter {
		return broken{Arbiter: a, read: func(a core.Arbiter, ctx context.Context, key string) (core.Snapshot, error) {
			if n.Add(1)%7 == 0 {
				store.Put("probe", []byte("another node's probe"))
			}
			return a.Read(ctx, key)
		}}
	})
	s.Forget = nil
	r := probe.Semantics(context.Background(), s)
	if f := find(t, r, "reachable"); r.Worst() != core.Unreachable || !strings.Contains(f.Observed, "another node's probe") {
		t.Errorf("worst %s: %+v", r.Worst(), r.Findings)
	}
}

func TestWritesArePaced(t *testing.T) {
	s := subject(memory.NewStore(), sound)
	s.Pause, s.Rounds, s.Samples = 20*time.Millisecond, 1, 2
	began := time.Now()
	r := probe.Semantics(context.Background(), s)
	if took := time.Since(began); r.Worst() != core.Passed || took < 10*s.Pause {
		t.Errorf("took %v, worst %s", took, r.Worst())
	}
}

func TestTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	store := memory.NewStore()
	var n atomic.Int64
	store.Plan(func(memory.Call) memory.Fate {
		if n.Add(1) == 30 {
			cancel()
		}
		return memory.Pass()
	})
	r := probe.Semantics(ctx, subject(store, sound))
	if r.Worst() != core.Unreachable {
		t.Errorf("worst is %s: %+v", r.Worst(), r.Findings)
	}
}

// A store that applies nothing at all cannot let two leaders live: it is of no use
// as it is, and not refused for good.
func TestNothingAppliedProvesNothing(t *testing.T) {
	store := memory.NewStore()
	store.Plan(func(call memory.Call) memory.Fate {
		if call.Write {
			return memory.Refuse(core.ErrConflict)
		}
		return memory.Pass()
	})
	r := probe.Semantics(t.Context(), subject(store, sound))
	if r.Worst() != core.Unreachable {
		t.Errorf("worst is %s, want unreachable: %+v", r.Worst(), r.Findings)
	}
	if f := find(t, r, "reachable"); !strings.Contains(f.Observed, "not applied") {
		t.Errorf("it says %q", f.Observed)
	}
}
