package sim

import "testing"

func TestClock(t *testing.T) {
	for _, ppm := range []int64{-1000, -1, 0, 1, 1000} {
		c := clock{start: 12345, ppm: ppm}
		for _, at := range []Time{0, 1, 999, 1000, 1_000_000, 7_777_777_777, 3600 * Second} {
			shows := c.at(at)
			back := c.when(shows)
			if back > at || c.at(back) != shows || back > 0 && c.at(back-1) >= shows {
				t.Errorf("%d ppm: at %d the clock shows %d, which it shows first at %d", ppm, at, shows, back)
			}
		}
	}
}

// TestWallClocksDecideNothing runs a plan whose machines' wall clocks are set by
// hours, and compares it with the same one in which they are set by nothing.
func TestWallClocksDecideNothing(t *testing.T) {
	run := func(hands int) (*World, uint64) {
		p := deletion(
			Fault{Kind: WallStep, At: 20 * Second, Lasts: 1, Who: 0, Amount: hands},
			Fault{Kind: CrashMachine, At: 30 * Second, Lasts: Second, Who: 0},
			Fault{Kind: CrashMachine, At: 40 * Second, Lasts: 5 * Second, Who: 1},
		)
		w := newWorld(p, nil)
		w.run()
		if w.fault != nil {
			t.Fatalf("%s: %s", w.fault.Invariant, w.fault.Text)
		}
		return w, w.digest
	}
	right, want := run(500)
	wrong, got := run(999)
	if got != want {
		t.Errorf("digest %x, want %x", got, want)
	}
	if step := wrong.wall(wrong.nodes[0]) - right.wall(right.nodes[0]); step < 3600*Second {
		t.Errorf("the wall clock was set by %.0f s", float64(step)/float64(Second))
	}
}
