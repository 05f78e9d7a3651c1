package core

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestOutcomes: what an arbiter's error means for a write and for a read. The
// difference is what no code means: a write may have happened, a read told nothing.
func TestOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		err         error
		write, read Outcome
	}{
		"nil":            {nil, Applied, Applied},
		"conflict":       {ErrConflict, Conflict, Conflict},
		"unknown":        {ErrUnknown, Unknown, Unknown},
		"unavailable":    {ErrUnavailable, Unavailable, Unavailable},
		"throttled":      {ErrThrottled, Throttled, Throttled},
		"denied":         {ErrDenied, Denied, Denied},
		"invalid":        {ErrInvalid, Invalid, Invalid},
		"corrupt":        {ErrCorrupt, Corrupt, Corrupt},
		"wrapped":        {fmt.Errorf("s3: bucket x: %w", fmt.Errorf("403: %w", ErrDenied)), Denied, Denied},
		"no code":        {errors.New("connection reset"), Unknown, Unavailable},
		"deadline":       {context.DeadlineExceeded, Unknown, Unavailable},
		"may be either":  {errors.Join(ErrUnavailable, ErrUnknown), Unknown, Unknown},
		"attribute":      {&AttributeError{Attribute: "bucket", Problem: "is missing"}, Invalid, Invalid},
		"attribute else": {&AttributeError{Attribute: "key", Problem: "is refused", Err: ErrDenied}, Denied, Denied},
	} {
		if got := WriteOutcome(c.err); got != c.write {
			t.Errorf("%s: a write is %s, not %s", name, got, c.write)
		}
		if got := ReadOutcome(c.err); got != c.read {
			t.Errorf("%s: a read is %s, not %s", name, got, c.read)
		}
	}
}

// TestOutcomeCodes: every outcome has its code and its name, and back.
func TestOutcomeCodes(t *testing.T) {
	names := map[Outcome]string{
		Applied: "applied", Conflict: "conflict", Unknown: "unknown", Unavailable: "unavailable",
		Throttled: "throttled", Denied: "denied", Invalid: "invalid", Corrupt: "corrupt", 0: "none", 99: "none",
	}
	for o, name := range names {
		if o.String() != name {
			t.Errorf("outcome %d is called %q, not %q", o, o, name)
		}
	}
	for o := Conflict; o <= Corrupt; o++ {
		if o.Code() == nil || WriteOutcome(o.Code()) != o {
			t.Errorf("%s has the code %v", o, o.Code())
		}
	}
	if Applied.Code() != nil {
		t.Errorf("applied has the code %v", Applied.Code())
	}
}

func TestAttributeError(t *testing.T) {
	e := &AttributeError{Attribute: "tls.ca_file", Problem: "cannot be read", Advice: "check the path", Err: ErrDenied}
	if got := e.Error(); got != "tls.ca_file: cannot be read: denied (check the path)" {
		t.Errorf("says %q", got)
	}
	if got := (&AttributeError{Attribute: "bucket", Problem: "is missing"}).Error(); got != "bucket: is missing" {
		t.Errorf("says %q", got)
	}
}

// TestPositionOrder: by epoch first, then by revision.
func TestPositionOrder(t *testing.T) {
	ascending := []Position{{}, {0, 9}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 1 << 60}, {1 << 60, 0}}
	for i, p := range ascending {
		for j, q := range ascending {
			if p.After(q) != (i > j) {
				t.Errorf("%v after %v is %v", p, q, p.After(q))
			}
		}
	}
	position := rapid.Custom(func(t *rapid.T) Position {
		return Position{Epoch(rapid.Uint64Range(0, 3).Draw(t, "epoch")), Revision(rapid.Uint64Range(0, 3).Draw(t, "revision"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q, r := position.Draw(t, "p"), position.Draw(t, "q"), position.Draw(t, "r")
		if (p == q) == (p.After(q) || q.After(p)) || p.After(q) && q.After(p) {
			t.Fatalf("%v and %v are not in an order", p, q)
		}
		if p.After(q) && q.After(r) && !p.After(r) {
			t.Fatalf("%v, %v, %v are not in an order", p, q, r)
		}
	})
}

// TestInstant: Never stays Never.
func TestInstant(t *testing.T) {
	if Never.Add(1) != Never || Never.Add(-1) != Never {
		t.Error("never has become an instant")
	}
	if got := Instant(5).Add(-2); got != 3 || Instant(5).Sub(3) != 2 {
		t.Errorf("5 - 2 = %d", got)
	}
}
