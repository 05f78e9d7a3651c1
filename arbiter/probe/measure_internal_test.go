package probe

import (
	"testing"
	"time"
)

// The window always holds the true offset, and narrows with the answers.
func TestWindow(t *testing.T) {
	base := time.Unix(1_800_000_000, 0)
	for _, truth := range []time.Duration{0, 300 * time.Millisecond, -20 * time.Minute, 90 * time.Second} {
		var w window
		for i := range 40 {
			sent := base.Add(time.Duration(i) * 137 * time.Millisecond)
			received := sent.Add(20 * time.Millisecond)
			date := sent.Add(8 * time.Millisecond).Add(truth).Truncate(time.Second)
			w.saw(sent, received, date, time.Second)
			offset, by := w.offset()
			if d := offset - truth; max(d, -d) > by {
				t.Fatalf("after %d answers: %v±%v does not hold %v", i+1, offset, by, truth)
			}
		}
		if _, by := w.offset(); by > 100*time.Millisecond {
			t.Errorf("uncertainty is still %v", by)
		}
	}
}

// Servers whose clocks disagree widen it.
func TestWindowOfTwoClocks(t *testing.T) {
	var w window
	base := time.Unix(1_800_000_000, 0)
	for i := range 10 {
		now := base.Add(time.Duration(i) * time.Second)
		w.saw(now, now.Add(time.Millisecond), now.Add(time.Duration(i%2)*10*time.Second), time.Second)
	}
	offset, by := w.offset()
	if offset-by > 0 || offset+by < 10*time.Second {
		t.Errorf("%v±%v does not hold both 0 and 10 s", offset, by)
	}
	if offset, by := (&window{}).offset(); offset != 0 || by != 0 {
		t.Errorf("without an answer: %v±%v", offset, by)
	}
}

func TestPercentiles(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(100-i))
	}
	got := latencies(all)
	if got.Count != 100 || got.P50 != 50 || got.P90 != 90 || got.P99 != 99 {
		t.Errorf("%+v", got)
	}
	if one := latencies(all[:1]); one.P50 != 100 || one.P99 != 100 {
		t.Errorf("of one: %+v", one)
	}
}
