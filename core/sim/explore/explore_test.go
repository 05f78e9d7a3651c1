package explore

import (
	"testing"
	"time"
)

func TestGrids(t *testing.T) {
	for _, g := range Grids() {
		t.Run(g.Name, func(t *testing.T) {
			start := time.Now()
			g.States = 20000
			r := Explore(g, nil)
			t.Logf("%s: %d states, depth %d, complete %t, %s", g.Name, r.States, r.Depth, r.Complete, time.Since(start))
			if r.Failure != nil {
				t.Errorf("%v\n%s", r.Failure, r.Trace)
			}
		})
	}
}

// TestWholeElection searches an election that only loses messages to its end, though
// nothing bounds how often its leader changes.
func TestWholeElection(t *testing.T) {
	r := Explore(base("whole", "", Budget{}), nil)
	if r.Failure != nil || !r.Complete || r.Depth < 20 {
		t.Errorf("complete %t after %d events, %d states: %v\n%s", r.Complete, r.Depth, r.States, r.Failure, r.Trace)
	}
}
