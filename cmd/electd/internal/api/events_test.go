package api

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// follow returns a client's events after an id, as they come.
func follow(t *testing.T, s *served, after string, elections ...string) func() client.Event {
	t.Helper()
	c, err := client.New(s.URL(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	events := make(chan client.Event)
	go func() {
		defer close(events)
		for e, err := range c.Events(ctx, after, elections...) {
			if err != nil {
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range events {
		}
		c.Close()
	})
	return func() client.Event {
		t.Helper()
		e, ok := <-events
		if !ok {
			t.Fatal("the stream ended")
		}
		return e
	}
}

func TestEventsComeAsTheyHappen(t *testing.T) {
	s := serve(t, nil)
	next := follow(t, s, "")
	for id := uint64(1); id < 5; id++ {
		if e := next(); e.Transition == nil || e.Transition.ID != id {
			t.Fatalf("event %+v, want transition %d", e, id)
		}
		s.source.add("promoting", "leading")
	}
}

func TestLatestIsOnlyWhatComes(t *testing.T) {
	s := serve(t, nil)
	next := follow(t, s, client.Latest)
	for s.streams.open.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // the stream stands before anything comes
	s.source.add("promoting", "leading")
	if e := next(); e.Transition == nil || e.Transition.To != "leading" {
		t.Errorf("event %+v, want only the one that came", e)
	}
}

func TestEventsOfOtherElectionsAreLeftOut(t *testing.T) {
	s := serve(t, nil)
	s.source.set(func(f *fake) { f.entries[0].Election = "invoices" })
	s.source.add("promoting", "leading")
	if e := follow(t, s, "", "orders")(); e.Transition == nil || e.Transition.ID != 2 {
		t.Errorf("event %+v, want the transition of orders", e)
	}
}

// TestResume tells what became of the events after an id.
func TestResume(t *testing.T) {
	s := serve(t, nil)
	for range 9 {
		s.source.add("promoting", "leading")
	}
	s.source.set(func(f *fake) { f.entries = f.entries[4:] }) // 5 to 10 are kept
	for _, c := range []struct {
		after, missed string
		first         uint64 // transition that comes next; 0: none
	}{
		{"", "", 5}, {"s1.4", "", 5}, {"s1.5", "", 6}, {"s1.9", "", 10}, {"s1.10", "", 0},
		{"s1.3", "dropped", 5}, {"s1.11", "unknown", 5}, {"s0.7", "restarted", 5}, {"nonsense", "unknown", 5}, {"s1.x", "unknown", 5},
	} {
		next := follow(t, s, c.after)
		if c.missed != "" {
			e := next()
			if e.Missed == nil || e.Missed.Why != c.missed || e.Missed.After != c.after || e.ID != "s1.4" {
				t.Errorf("after %q: %+v (%+v), want missed: %s, to be resumed after s1.4", c.after, e, e.Missed, c.missed)
			}
		}
		if c.first == 0 {
			c.first = 11
			s.source.add("leading", "fenced")
		}
		if e := next(); e.Transition == nil || e.Transition.ID != c.first {
			t.Errorf("after %q: %+v, want transition %d", c.after, e, c.first)
		}
		s.source.set(func(f *fake) { f.entries = f.entries[:6] })
	}
}

// TestABrowserResumesByItsHeader: it asks for the same URL again.
func TestABrowserResumesByItsHeader(t *testing.T) {
	s := serve(t, nil)
	s.source.add("promoting", "leading")
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.tcp+"/v1/events?after=s1.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", "s1.1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if id != "s1.2" {
				t.Errorf("the first event is %s, want s1.2", id)
			}
			return
		}
	}
	t.Error("no event")
}

// TestStreamsAreBounded: no more than so many, and room again when one ends.
func TestStreamsAreBounded(t *testing.T) {
	s := serve(t, nil)
	var open []*http.Response
	for range maxStreams {
		answer, err := s.unix.Get("http://electd/v1/events")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %v", len(open), err)
		}
		open = append(open, answer)
	}
	answer, err := s.unix.Get("http://electd/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %d, want 503 with Retry-After", answer.StatusCode)
	}
	for _, answer := range open {
		answer.Body.Close()
	}
	deadline := time.Now().Add(5 * time.Second)
	for s.streams.open.Load() > 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := s.streams.open.Load(); n != 0 {
		t.Errorf("%d streams count as open after their clients left", n)
	}
}

// TestASlowSenderIsCutOff: a body that does not come holds nothing up for long.
func TestASlowSenderIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a sender may")
	}
	s := serve(t, nil)
	c, err := net.Dial("tcp", s.Advertise())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	started := time.Now()
	if _, err := c.Write([]byte("POST /v1/elections/orders/pause HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{")); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(started.Add(4 * readWithin))
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if took := time.Since(started); answer.StatusCode != http.StatusBadRequest || took < readWithin/2 {
		t.Errorf("answered %d after %s, want 400 after %s", answer.StatusCode, took, readWithin)
	}
}

// TestCloseEndsStreams: a stream that is open does not hold the daemon up.
func TestCloseEndsStreams(t *testing.T) {
	s := serve(t, nil)
	answer, err := s.unix.Get("http://electd/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	started := time.Now()
	s.Close()
	if took := time.Since(started); took > closeWithin/2 {
		t.Errorf("closing took %s", took)
	}
}

// A HEAD has no body to stream into: it is answered, and its connection free.
func TestAHeadOfEventsEnds(t *testing.T) {
	s := serve(t, nil)
	for range 2 * maxStreams {
		answer, err := s.unix.Head("http://electd/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK || s.streams.open.Load() != 0 {
			t.Fatalf("answered %d, %d streams open", answer.StatusCode, s.streams.open.Load())
		}
	}
}
