package arbitertest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

// planted is a faithful client with one defect: whatever is set replaces the
// faithful deed.
type planted struct {
	*memory.Client
	read  func(ctx context.Context, key string) (core.Snapshot, error)
	swap  func(ctx context.Context, s core.Swap) (core.Version, error)
	watch func(ctx context.Context, key string) (<-chan core.Snapshot, error)
	close func() error
}

func (p planted) Read(ctx context.Context, key string) (core.Snapshot, error) {
	if p.read == nil {
		return p.Client.Read(ctx, key)
	}
	return p.read(ctx, key)
}

func (p planted) CompareAndSwap(ctx context.Context, s core.Swap) (core.Version, error) {
	if p.swap == nil {
		return p.Client.CompareAndSwap(ctx, s)
	}
	return p.swap(ctx, s)
}

func (p planted) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	if p.watch == nil {
		return p.Client.Watch(ctx, key)
	}
	return p.watch(ctx, key)
}

func (p planted) Close() error {
	if p.close == nil {
		return p.Client.Close()
	}
	return p.close()
}

// reads plants a change to the answer of every read.
func reads(change func(s core.Snapshot) core.Snapshot) func(*memory.Store) wrapper {
	return func(*memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			return planted{Client: c, read: func(ctx context.Context, key string) (core.Snapshot, error) {
				s, err := c.Read(ctx, key)
				if err != nil {
					return s, err
				}
				return change(s), nil
			}}
		}
	}
}

// writes plants a change to every write, given what is stored before it.
func writes(change func(s core.Swap, stored core.Snapshot) core.Swap) func(*memory.Store) wrapper {
	return func(store *memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				return c.CompareAndSwap(ctx, change(s, store.Get(s.Key)))
			}}
		}
	}
}

// faulty are the planted defects, each with the check that must find it.
var faulty = []struct {
	defect string
	check  string
	plant  func(*memory.Store) wrapper
}{
	{"a vacant record reads as an empty document", "vacant-read", reads(func(s core.Snapshot) core.Snapshot {
		if s.Version == "" {
			s.Record = []byte("{}")
		}
		return s
	})},
	{"reads are cached until the client writes itself", "read-your-writes", cachedReads},
	{"what does not parse reads as vacant", "corrupt-not-vacant", reads(func(s core.Snapshot) core.Snapshot {
		if !json.Valid(s.Record) {
			return core.Snapshot{}
		}
		return s
	})},
	{"blanks around the record are trimmed", "odd-bytes", writes(func(s core.Swap, _ core.Snapshot) core.Swap {
		if !json.Valid(s.Record) {
			s.Record = bytes.TrimSpace(s.Record)
		}
		return s
	})},
	{"records are cut at 4 KiB", "large-record", writes(func(s core.Swap, _ core.Snapshot) core.Swap {
		s.Record = s.Record[:min(len(s.Record), 4096)]
		return s
	})},
	{"keys are compared without regard to case", "keys-isolated", foldedKeys},
	{"a create overwrites", "create-once", writes(func(s core.Swap, stored core.Snapshot) core.Swap {
		if s.Expected == "" {
			s.Expected = stored.Version
		}
		return s
	})},
	{"the version is the record's length", "new-version", lengthAsVersion},
	{"the expected version is ignored", "stale-swap", writes(func(s core.Swap, stored core.Snapshot) core.Swap {
		if s.Expected != "" {
			s.Expected = stored.Version
		}
		return s
	})},
	{"a conflict is reported as applied", "stale-swap", conflictAsApplied},
	{"a swap on a missing record creates it", "missing-swap", writes(func(s core.Swap, stored core.Snapshot) core.Swap {
		if stored.Version == "" {
			s.Expected = ""
		}
		return s
	})},
	{"versions repeat every other write", "aba", alternatingVersions},
	{"create looks first and then writes", "create-one-winner", looksThenWrites(func(s core.Swap) bool { return s.Expected == "" })},
	{"swap looks first and then writes", "swap-one-winner", looksThenWrites(func(s core.Swap) bool { return s.Expected != "" })},
	{"version and body are read one after the other", "whole-read", tornReads},
	{"contexts are ignored", "deadline-passed", ignoresContexts(func(context.Context) bool { return true })},
	{"deadlines are looked at only before", "deadline-silence", ignoresContexts(func(ctx context.Context) bool { return ctx.Err() == nil })},
	{"an unknown outcome is reported as conflict", "lost-answer", reportsUnknownAs(core.ErrConflict, 0)},
	{"an unknown outcome is reported as unavailable", "lost-answer", reportsUnknownAs(core.ErrUnavailable, 0)},
	{"a short deadline is taken for one that passed before sending", "honest-outcome", reportsUnknownAs(core.ErrUnavailable, 100*time.Millisecond)},
	{"writes are retried", "no-retry", retriesWrites},
	{"the condition is checked before a write's long way", "late-write", checksEarly},
	{"ages are two seconds too large", "age-honest", reads(func(s core.Snapshot) core.Snapshot {
		if s.Version != "" {
			s.Age += 2 * time.Second
		}
		return s
	})},
	{"ages count from the key's first write", "age-honest", agesByKey},
	{"the watch is silent", "watch-hints", watches(func(ctx context.Context) <-chan core.Snapshot {
		hints := make(chan core.Snapshot)
		context.AfterFunc(ctx, func() { close(hints) })
		return hints
	})},
	{"the watch ends by itself", "watch-hints", watches(func(context.Context) <-chan core.Snapshot {
		hints := make(chan core.Snapshot)
		close(hints)
		return hints
	})},
	{"a second Close panics", "close-twice", secondClosePanics},
	{"reads lag while a write is under way", "linearizable", laggingReads},
}

func cachedReads(*memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		var mu sync.Mutex
		cache := map[string]core.Snapshot{}
		return planted{
			Client: c,
			read: func(ctx context.Context, key string) (core.Snapshot, error) {
				mu.Lock()
				defer mu.Unlock()
				if s, found := cache[key]; found {
					return s, nil
				}
				s, err := c.Read(ctx, key)
				if err == nil && s.Version != "" {
					cache[key] = s
				}
				return s, err
			},
			swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				mu.Lock()
				delete(cache, s.Key)
				mu.Unlock()
				return c.CompareAndSwap(ctx, s)
			},
		}
	}
}

func foldedKeys(*memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		return planted{
			Client: c,
			read: func(ctx context.Context, key string) (core.Snapshot, error) {
				return c.Read(ctx, strings.ToLower(key))
			},
			swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				s.Key = strings.ToLower(s.Key)
				return c.CompareAndSwap(ctx, s)
			},
			watch: func(ctx context.Context, key string) (<-chan core.Snapshot, error) {
				return c.Watch(ctx, strings.ToLower(key))
			},
		}
	}
}

func lengthAsVersion(store *memory.Store) wrapper {
	length := func(s core.Snapshot) core.Version {
		if s.Version == "" {
			return ""
		}
		return core.Version(fmt.Sprint(len(s.Record)))
	}
	return func(c *memory.Client) core.Arbiter {
		return planted{
			Client: c,
			read: func(ctx context.Context, key string) (core.Snapshot, error) {
				s, err := c.Read(ctx, key)
				s.Version = length(s)
				return s, err
			},
			swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				if stored := store.Get(s.Key); s.Expected == length(stored) {
					s.Expected = stored.Version
				}
				v, err := c.CompareAndSwap(ctx, s)
				return length(core.Snapshot{Version: v, Record: s.Record}), err
			},
		}
	}
}

func conflictAsApplied(store *memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
			v, err := c.CompareAndSwap(ctx, s)
			if stored := store.Get(s.Key).Version; errors.Is(err, core.ErrConflict) && s.Expected != "" && stored != "" {
				return stored, nil
			}
			return v, err
		}}
	}
}

func alternatingVersions(store *memory.Store) wrapper {
	var mu sync.Mutex
	place := map[core.Version]int{} // of a version among those of its key
	last := map[string]core.Version{}
	name := func(key string, v core.Version) core.Version {
		mu.Lock()
		defer mu.Unlock()
		if v == "" {
			return ""
		}
		if _, known := place[v]; !known {
			place[v] = place[last[key]] + 1
			last[key] = v
		}
		return core.Version([]string{"even", "odd"}[place[v]%2])
	}
	return func(c *memory.Client) core.Arbiter {
		return planted{
			Client: c,
			read: func(ctx context.Context, key string) (core.Snapshot, error) {
				s, err := c.Read(ctx, key)
				s.Version = name(key, s.Version)
				return s, err
			},
			swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				if stored := store.Get(s.Key).Version; s.Expected == name(s.Key, stored) {
					s.Expected = stored
				}
				v, err := c.CompareAndSwap(ctx, s)
				return name(s.Key, v), err
			},
		}
	}
}

// looksThenWrites lets the writes that raced names succeed if what they expected
// was stored when they set out.
func looksThenWrites(raced func(core.Swap) bool) func(*memory.Store) wrapper {
	return func(store *memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				fits := store.Get(s.Key).Version == s.Expected
				v, err := c.CompareAndSwap(ctx, s)
				if raced(s) && fits && errors.Is(err, core.ErrConflict) {
					return store.Put(s.Key, s.Record), nil
				}
				return v, err
			}}
		}
	}
}

func tornReads(*memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		return planted{Client: c, read: func(ctx context.Context, key string) (core.Snapshot, error) {
			head, err := c.Read(ctx, key)
			if err != nil || head.Version == "" {
				return head, err
			}
			whole, err := c.Read(ctx, key)
			whole.Version = head.Version
			return whole, err
		}}
	}
}

func ignoresContexts(ignored func(context.Context) bool) func(*memory.Store) wrapper {
	return func(*memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			without := func(ctx context.Context) context.Context {
				if ignored(ctx) {
					return context.WithoutCancel(ctx)
				}
				return ctx
			}
			return planted{
				Client: c,
				read: func(ctx context.Context, key string) (core.Snapshot, error) {
					return c.Read(without(ctx), key)
				},
				swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
					return c.CompareAndSwap(without(ctx), s)
				},
			}
		}
	}
}

// reportsUnknownAs gives unknown outcomes another code, if the write had no more
// than shorter when it began; zero is any.
func reportsUnknownAs(code error, shorter time.Duration) func(*memory.Store) wrapper {
	return func(*memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				deadline, _ := ctx.Deadline()
				affected := shorter == 0 || time.Until(deadline) < shorter
				v, err := c.CompareAndSwap(ctx, s)
				if affected && core.WriteOutcome(err) == core.Unknown {
					return "", fmt.Errorf("%w: no answer", code)
				}
				return v, err
			}}
		}
	}
}

func retriesWrites(*memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
			deadline, _ := ctx.Deadline()
			once, cancel := context.WithTimeout(ctx, time.Until(deadline)/3)
			defer cancel()
			v, err := c.CompareAndSwap(once, s)
			if core.WriteOutcome(err) != core.Unknown {
				return v, err
			}
			if v, err := c.CompareAndSwap(ctx, s); err == nil {
				return v, nil
			}
			return "", err
		}}
	}
}

// checksEarly lets a write whose way takes longer than its sender waits arrive
// without its condition.
func checksEarly(store *memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		return planted{Client: c, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
			before := store.Get(s.Key).Version
			v, err := c.CompareAndSwap(ctx, s)
			if !errors.Is(err, core.ErrUnknown) || before != s.Expected {
				return v, err
			}
			go func() { // until it is stored, or another one's is
				for range 100 {
					time.Sleep(5 * time.Millisecond)
					stored := store.Get(s.Key)
					if bytes.Equal(stored.Record, s.Record) {
						return
					}
					if stored.Version != before {
						store.Put(s.Key, s.Record)
						return
					}
				}
			}()
			return v, err
		}}
	}
}

func agesByKey(*memory.Store) wrapper {
	var mu sync.Mutex
	first := map[string]time.Time{}
	return func(c *memory.Client) core.Arbiter {
		return planted{Client: c, read: func(ctx context.Context, key string) (core.Snapshot, error) {
			s, err := c.Read(ctx, key)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || s.Version == "" {
				return s, err
			}
			if _, known := first[key]; !known {
				first[key] = time.Now().Add(-s.Age)
			}
			s.Age = time.Since(first[key])
			return s, nil
		}}
	}
}

// watches plants another watch.
func watches(watch func(context.Context) <-chan core.Snapshot) func(*memory.Store) wrapper {
	return func(*memory.Store) wrapper {
		return func(c *memory.Client) core.Arbiter {
			return planted{Client: c, watch: func(ctx context.Context, _ string) (<-chan core.Snapshot, error) {
				return watch(ctx), nil
			}}
		}
	}
}

func secondClosePanics(*memory.Store) wrapper {
	return func(c *memory.Client) core.Arbiter {
		closed := make(chan struct{})
		return planted{Client: c, close: func() error {
			close(closed)
			return c.Close()
		}}
	}
}

// laggingReads answers with the record before the last one while any write to
// the key is under way.
func laggingReads(store *memory.Store) wrapper {
	var mu sync.Mutex
	underWay := map[string]int{}
	past := map[string][]core.Snapshot{}
	return func(c *memory.Client) core.Arbiter {
		return planted{
			Client: c,
			read: func(ctx context.Context, key string) (core.Snapshot, error) {
				s, err := c.Read(ctx, key)
				mu.Lock()
				defer mu.Unlock()
				if before := past[key]; err == nil && underWay[key] > 0 && len(before) > 1 {
					s = before[len(before)-2]
					s.Age = 0
				}
				return s, err
			},
			swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
				mu.Lock()
				underWay[s.Key]++
				mu.Unlock()
				v, err := c.CompareAndSwap(ctx, s)
				mu.Lock()
				defer mu.Unlock()
				underWay[s.Key]--
				if err == nil {
					past[s.Key] = append(past[s.Key], core.Snapshot{Version: v, Record: s.Record})
				}
				return v, err
			},
		}
	}
}
