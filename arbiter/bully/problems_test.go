package bully

import (
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
		if got := p.list(start); !slices.Equal(got, want) {
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

// What is only noticed when somebody calls is over once nobody has for a minute; it
// is logged once, however often it comes and goes.
func TestEventsFadeAndAreLoggedOnce(t *testing.T) {
	p := newProblems()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	logged := 0
	for after := time.Duration(0); after < 10*time.Minute; after += time.Second {
		text := []string{"c is used twice", "c still lives"}[int(after/time.Second)%2]
		p.happened("twin c", text, start.Add(after))
		if p.toLog(text, start.Add(after)) {
			logged++
		}
		if got := p.list(start.Add(after)); !slices.Equal(got, []string{text}) {
			t.Fatalf("after %v: %q", after, got)
		}
	}
	if logged != 2 {
		t.Errorf("two texts in turn were logged %d times", logged)
	}
	last := start.Add(10*time.Minute - time.Second)
	if got := p.list(last.Add(toldFor - time.Second)); len(got) != 1 {
		t.Errorf("within a minute: %q", got)
	}
	if got := p.list(last.Add(toldFor)); len(got) != 0 {
		t.Errorf("after a minute: %q", got)
	}
	if !p.toLog("c still lives", last.Add(toldFor)) {
		t.Error("not logged again although it was over")
	}
}

// A voter that answers and refuses is not said not to answer.
func TestRefusalIsAnAnswer(t *testing.T) {
	p := newProblems()
	now := time.Now()
	p.unreachable("b", status.Error(codes.PermissionDenied, "the certificate is not in the name of \"a\""), now)
	if got, want := p.list(now), []string{`b refuses to answer: the certificate is not in the name of "a"`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
