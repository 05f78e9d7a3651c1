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
