package wire

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/electd/electd/core"
)

const limit = 64

func seqs(messages []core.Message) (all []uint64) {
	for _, m := range messages {
		all = append(all, m.Seq)
	}
	return all
}

func TestNewestOfAKindWins(t *testing.T) {
	q := queue{limit: limit}
	release := beat("one", 3)
	release.Kind = core.Released
	dropped := 0
	for _, m := range []core.Message{beat("one", 1), beat("two", 2), release, beat("one", 4)} {
		dropped += q.push(m)
	}
	if got := seqs(q.drain(nil)); !slices.Equal(got, []uint64{2, 3, 4}) || dropped != 1 {
		t.Errorf("got %v with %d dropped, want 2, 3, 4 with 1", got, dropped)
	}
	if got := q.drain(nil); len(got) != 0 {
		t.Errorf("after draining, got %v", got)
	}
}

// TestHellosOfEachRole: the Seq of a Hello here only tells which one is left.
func TestHellosOfEachRole(t *testing.T) {
	plain := func(seq uint64) core.Message {
		return core.Message{Kind: core.Hello, Election: "e", Node: "a", Seq: seq}
	}
	question := func(seq uint64) core.Message { m := plain(seq); m.Asking = true; return m }
	answer := func(to string, seq uint64) core.Message { m := plain(seq); m.Holder = to; return m }
	elsewhere := question(3)
	elsewhere.Election = "other"
	for name, test := range map[string]struct{ said, left []core.Message }{
		"told, then asked": {
			said: []core.Message{plain(1), question(2)},
			left: []core.Message{plain(1), question(2)},
		},
		"answered, then asked": {
			said: []core.Message{answer("sb", 1), question(2)},
			left: []core.Message{answer("sb", 1), question(2)},
		},
		"the newest of each, in the order they were said": {
			said: []core.Message{question(1), answer("sb", 2), plain(3), question(4), plain(5), answer("sb", 6), question(7)},
			left: []core.Message{plain(5), answer("sb", 6), question(7)},
		},
		"one answer, to whom it was given last": {
			said: []core.Message{answer("sb", 1), answer("sb again", 2)},
			left: []core.Message{answer("sb again", 2)},
		},
		"each election for itself": {
			said: []core.Message{question(1), plain(2), elsewhere, question(4)},
			left: []core.Message{plain(2), elsewhere, question(4)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := queue{limit: limit}
			dropped := 0
			for _, m := range test.said {
				dropped += q.push(m)
			}
			if got := q.drain(nil); !slices.Equal(got, test.left) {
				t.Errorf("got %+v, want %+v", got, test.left)
			}
			if want := len(test.said) - len(test.left); dropped != want {
				t.Errorf("%d dropped, want %d", dropped, want)
			}
		})
	}
}

// TestOtherKindsHaveOnePlace: what makes the role of a Hello means something else
// in other messages, and does not keep them apart.
func TestOtherKindsHaveOnePlace(t *testing.T) {
	for kind := core.Heartbeat; kind <= core.HandOver; kind++ {
		q := queue{limit: limit}
		for seq, asking := range []bool{true, false, true} {
			q.push(core.Message{Kind: kind, Election: "e", Node: "a", Asking: asking, Holder: fmt.Sprint(seq), Seq: uint64(seq)})
		}
		if got := seqs(q.drain(nil)); !slices.Equal(got, []uint64{2}) {
			t.Errorf("kind %d: got %v, want the newest", kind, got)
		}
	}
}

func TestOldestIsDroppedFirst(t *testing.T) {
	q := queue{limit: limit}
	for i := range uint64(limit + 10) {
		if dropped := q.push(beat(fmt.Sprint(i), i)); (dropped == 1) != (i >= limit) {
			t.Fatalf("push %d dropped %d", i, dropped)
		}
	}
	got := seqs(q.drain(nil))
	if len(got) != limit || got[0] != 10 || got[limit-1] != limit+9 {
		t.Errorf("got %d from %d to %d", len(got), got[0], got[len(got)-1])
	}
}

// TestQueueAgainstModel compares with the plainest thing that does the same.
func TestQueueAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	q := queue{limit: limit}
	var model []core.Message
	for i := range uint64(200_000) {
		m := beat(fmt.Sprint(random.IntN(limit/2)), i)
		if random.IntN(4) > 0 {
			m.Kind, m.Asking = core.Hello, random.IntN(2) == 0
			m.Holder = []string{"", "sb", "sc"}[random.IntN(3)]
		}
		wantDropped := 0
		if at, ok := find(model, m); ok {
			model = slices.Delete(model, at, at+1)
			wantDropped = 1
		} else if len(model) == limit {
			model = model[1:]
			wantDropped = 1
		}
		model = append(model, m)
		if dropped := q.push(m); dropped != wantDropped {
			t.Fatalf("push %d dropped %d, want %d", i, dropped, wantDropped)
		}
		if len(q.items) > 2*limit {
			t.Fatalf("%d slots", len(q.items))
		}
		if random.IntN(1000) == 0 {
			if got := q.drain(nil); !slices.Equal(got, model) {
				t.Fatalf("after push %d: got %d messages, want %d, or another order", i, len(got), len(model))
			}
			model = nil
		}
	}
	if got := q.drain(nil); !slices.Equal(got, model) {
		t.Fatalf("got %d messages, want %d, or another order", len(got), len(model))
	}
}

func find(all []core.Message, m core.Message) (int, bool) {
	i := slices.IndexFunc(all, func(o core.Message) bool {
		alike := m.Kind != core.Hello || o.Asking == m.Asking && (o.Holder == "") == (m.Holder == "")
		return o.Kind == m.Kind && o.Election == m.Election && alike
	})
	return i, i >= 0
}
