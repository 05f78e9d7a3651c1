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
		m := beat(fmt.Sprint(random.IntN(2*limit)), i)
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
	i := slices.IndexFunc(all, func(o core.Message) bool { return o.Kind == m.Kind && o.Election == m.Election })
	return i, i >= 0
}
