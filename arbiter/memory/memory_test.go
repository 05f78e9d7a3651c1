package memory_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

const key = "orders/lease.json"

var swap = core.Swap{Key: key, Record: []byte("one")}

// Every fate: what the client hears and when, and what is stored then and later.
func TestFates(t *testing.T) {
	const deadline = time.Second
	release := make(chan struct{})
	close(release)
	for name, c := range map[string]struct {
		fate    memory.Fate
		outcome core.Outcome
		took    time.Duration
		stored  string // when the client hears
		later   string // a minute later
	}{
		"pass":              {memory.Pass(), core.Applied, 0, "one", "one"},
		"slow":              {memory.Slow(200*time.Millisecond, 300*time.Millisecond), core.Applied, 500 * time.Millisecond, "one", "one"},
		"too slow":          {memory.Slow(200*time.Millisecond, time.Hour), core.Unknown, deadline, "one", "one"},
		"drop":              {memory.Drop(), core.Unknown, deadline, "", ""},
		"lost answer":       {memory.LoseAnswer(), core.Unknown, deadline, "one", "one"},
		"late":              {memory.Late(30 * time.Second), core.Unknown, deadline, "", "one"},
		"held":              {memory.Held(release), core.Unknown, deadline, "one", "one"},
		"outage":            {memory.Refuse(core.ErrUnavailable), core.Unavailable, 0, "", ""},
		"throttled":         {memory.Refuse(core.ErrThrottled), core.Throttled, 0, "", ""},
		"conflict, applied": {memory.Answer(core.ErrConflict), core.Conflict, 0, "one", "one"},
		"reset, applied":    {memory.Answer(errors.New("reset")), core.Unknown, 0, "one", "one"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.NewStore()
				client := store.Client("a")
				defer client.Close()
				store.Plan(func(memory.Call) memory.Fate { return c.fate })
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				start := time.Now()
				_, err := client.CompareAndSwap(ctx, swap)
				if got := core.WriteOutcome(err); got != c.outcome {
					t.Errorf("outcome %v, want %v: %v", got, c.outcome, err)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				synctest.Wait()
				if got := store.Get(key); string(got.Record) != c.stored {
					t.Errorf("%q is stored, want %q", got.Record, c.stored)
				}
				time.Sleep(time.Minute)
				if got := store.Get(key); string(got.Record) != c.later {
					t.Errorf("%q is stored later, want %q", got.Record, c.later)
				}
				if got := store.Counts(); got != (memory.Counts{Writes: 1}) {
					t.Errorf("counted %+v", got)
				}
			})
		})
	}
}

func TestAPlanSeesTheCall(t *testing.T) {
	store := memory.NewStore()
	var calls []memory.Call
	store.Plan(func(c memory.Call) memory.Fate {
		calls = append(calls, c)
		return memory.Pass()
	})
	client := store.Client("a")
	defer client.Close()
	if _, err := client.Read(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CompareAndSwap(t.Context(), swap); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 2 || calls[0].Write || calls[0].Client != "a" || calls[0].Key != key ||
		!calls[1].Write || string(calls[1].Swap.Record) != "one" {
		t.Errorf("planned %+v", calls)
	}
}

func TestOperatorsDeedsReachWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.NewStore()
		client := store.Client("a")
		hints, err := client.Watch(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		v := store.Put(key, []byte("one"))
		if s := <-hints; s.Version != v || string(s.Record) != "one" {
			t.Errorf("hint %+v", s)
		}
		time.Sleep(time.Second)
		if s := store.Get(key); s.Age != time.Second {
			t.Errorf("age %v", s.Age)
		}
		store.Delete(key)
		if s := <-hints; s.Version != "" || s.Record != nil {
			t.Errorf("hint %+v of a deletion", s)
		}
		if err := errors.Join(client.Close(), client.Close()); err != nil {
			t.Fatal(err)
		}
		for range hints { // ends when the channel is closed
		}
		if _, err := client.Read(t.Context(), key); core.ReadOutcome(err) != core.Unavailable {
			t.Errorf("read after Close: %v", err)
		}
	})
}
