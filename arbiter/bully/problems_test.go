package bully

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A voter that is away is told of in the same words for a while, however many ways
// there are not to reach it: who logs what changes would log every attempt. An
// error says what went wrong last.
func TestAbsentVoterIsToldOfInTheSameWords(t *testing.T) {
	p := newProblems()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fails := func(after time.Duration, why string) { p.unreachable("b", errors.New(why), start.Add(after)) }
	tells := func(want ...string) {
		t.Helper()
		if got := p.list(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	fails(0, "connection refused")
	fails(time.Second, "reset by 127.0.0.1:40001")
	tells("b does not answer: connection refused")
	if why := p.whyUnreachable("b"); why != "reset by 127.0.0.1:40001" {
		t.Errorf("an error says %q", why)
	}
	fails(toldFor, "no such host")
	tells("b does not answer: no such host")
	p.reachable("b")
	tells()
	fails(toldFor+time.Second, "connection refused")
	tells("b does not answer: connection refused")
}
