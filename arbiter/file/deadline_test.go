package file

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// late is far beyond every deadline that these tests set.
const late = 10 * time.Second

func TestWaitingForTheLockEndsWithTheDeadline(t *testing.T) {
	a := open(t, t.TempDir())
	v := mustSwap(t, a, "", "one")
	unlock, err := lock(t.Context(), filepath.Join(a.dir, "orders%2flease.json"+lockSuffix), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = a.CompareAndSwap(ctx, core.Swap{Key: key, Expected: v, Record: []byte("two")})
	if core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > late {
		t.Errorf("took %v", took)
	}
	unlock()
	if err := a.Close(); err != nil { // the attempt is over now
		t.Fatal(err)
	}
	if s := mustRead(t, open(t, a.dir)); string(s.Record) != "one" {
		t.Errorf("%q is stored although the write was given up", s.Record)
	}
}

// A disk that hangs before the rename leaves a write that never will be; one that
// hangs after it leaves the outcome unknown.
func TestAHangingDisk(t *testing.T) {
	for _, c := range []struct {
		hangs   string
		outcome core.Outcome
		stored  string
	}{
		{"create", core.Unavailable, "one"},
		{"fsync", core.Unavailable, "one"},
		{"rename", core.Unavailable, "one"},
		{"stamp", core.Unknown, "two"},
		{"fsync directory", core.Unknown, "two"},
	} {
		t.Run(c.hangs, func(t *testing.T) {
			a := open(t, t.TempDir())
			v := mustSwap(t, a, "", "one")
			recovers := make(chan struct{})
			a.between = func(step string) {
				if step == c.hangs {
					<-recovers
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := a.CompareAndSwap(ctx, core.Swap{Key: key, Expected: v, Record: []byte("two")})
			if core.WriteOutcome(err) != c.outcome {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > late {
				t.Errorf("took %v", took)
			}
			close(recovers)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if s := mustRead(t, open(t, a.dir)); string(s.Record) != c.stored {
				t.Errorf("%q is stored", s.Record)
			}
		})
	}
}

// Whoever waits for the lock learns of a conflict without getting it.
func TestWaitingForTheLockEndsWithAConflict(t *testing.T) {
	a := open(t, t.TempDir())
	v := mustSwap(t, a, "", "one")
	path := filepath.Join(a.dir, "orders%2flease.json")
	unlock, err := lock(t.Context(), path+lockSuffix, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	a.between = func(step string) {
		if step == "lock" {
			if err := os.WriteFile(path, []byte("another's"), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	start := time.Now()
	_, err = a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: v, Record: []byte("two")})
	if took := time.Since(start); core.WriteOutcome(err) != core.Conflict || took > a.timeout/2 {
		t.Errorf("after %v: %v", took, err)
	}
}

func TestCloseEndsAWaitForTheLock(t *testing.T) {
	a := open(t, t.TempDir())
	v := mustSwap(t, a, "", "one")
	unlock, err := lock(t.Context(), filepath.Join(a.dir, "orders%2flease.json"+lockSuffix), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	waits := make(chan struct{})
	a.between = func(step string) {
		if step == "lock" {
			close(waits)
		}
	}
	answer := make(chan error, 1)
	go func() {
		_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: v, Record: []byte("two")})
		answer <- err
	}()
	<-waits
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	err = <-answer
	if core.WriteOutcome(err) != core.Unavailable || !strings.Contains(err.Error(), "untouched") && !strings.Contains(err.Error(), "waiting") {
		t.Errorf("got %v", err)
	}
}
