package mutants

import (
	"testing"

	"github.com/electd/electd/core/sim"
)

func TestTheCoreLivesThroughEveryScenario(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			failovers := 0
			for i, p := range s.Plans {
				r := sim.Run(p, nil)
				if r.Failure != nil {
					t.Fatalf("variant %d: %s: %s", i, r.Failure.Invariant, r.Failure.Text)
				}
				failovers += r.Failovers
			}
			// The stories end with another leader; one in which nobody takes
			// would tell nothing.
			if !s.Stays && failovers < len(s.Plans)/4 || s.Stays && failovers > 0 {
				t.Errorf("%d failovers in %d variants", failovers, len(s.Plans))
			}
		})
	}
}
