package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/core"
)

// sight is an arbiter's watch: each one stands as long as lasts says, or fails
// if that is 0.
type sight struct {
	lasts []time.Duration
	began []time.Duration // since the start
	start time.Time
}

func (s *sight) Watch(ctx context.Context, _ string) (<-chan core.Snapshot, error) {
	i := len(s.began)
	s.began = append(s.began, time.Since(s.start).Round(time.Millisecond))
	if i >= len(s.lasts) {
		return nil, errors.New("no more")
	}
	if s.lasts[i] == 0 {
		return nil, errors.New("the process is gone")
	}
	hints := make(chan core.Snapshot)
	time.AfterFunc(s.lasts[i], func() { close(hints) })
	return hints, nil
}

// TestWatchIsMadeAnew: at once after one that stood, ever more slowly while none
// does, and with a hint for what was missed meanwhile.
func TestWatchIsMadeAnew(t *testing.T) {
	const slowest = 2560 * time.Millisecond // so that the fastest is 40 ms
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for name, c := range map[string]struct {
		lasts []time.Duration
		began []time.Duration // of the first that many
		hints int
	}{
		"stood, and is back at once":       {[]time.Duration{ms(9000), ms(9000)}, []time.Duration{0, ms(9040)}, 1},
		"stood, and is back in a while":    {[]time.Duration{ms(9000), 0, 0, ms(9000)}, []time.Duration{0, ms(9040), ms(9120), ms(9280)}, 1},
		"stood for a moment":               {[]time.Duration{ms(100), 0, ms(9000)}, []time.Duration{0, ms(140), ms(220)}, 1},
		"never stands for long: no hints":  {[]time.Duration{ms(1), ms(1), ms(1)}, []time.Duration{0, ms(41), ms(122), ms(283)}, 0},
		"is never there: slowly, no hints": {nil, []time.Duration{0, ms(40), ms(120), ms(280), ms(600), ms(1240), ms(2520), ms(5080), ms(7640)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				s := &sight{lasts: c.lasts, start: time.Now()}
				hints, failures := 0, 0
				watch(ctx, s, "k", slowest, func() { hints++ }, func(error) { failures++ })
				for i, want := range c.began {
					if i >= len(s.began) || s.began[i] != want {
						t.Fatalf("watches began after %v, want %v", s.began, c.began)
					}
				}
				if hints != c.hints || failures < 1 || failures > 2 {
					t.Errorf("%d hints, want %d; %d failures told, want one for each time that none could be had", hints, c.hints, failures)
				}
			})
		})
	}
}
