package sim

import "testing"

func TestSwarm(t *testing.T) {
	var seen Coverage
	var hist [20]int
	worst := 0
	fails := map[string]int{}
	first := map[string]uint64{}
	for seed := uint64(1); seed <= 10000; seed++ {
		r := Run(NewPlan(seed), nil)
		seen.Add(&r.Coverage)
		hist[min(r.Busiest/10, 19)]++
		if r.Busiest > worst {
			worst = r.Busiest
			t.Logf("seed %d busiest %d", seed, worst)
		}
		if r.Failure != nil {
			k := r.Failure.Invariant
			fails[k]++
			if first[k] == 0 {
				first[k] = seed
				t.Logf("seed %d %s at %.3f: %s: %s", seed, r.Mode, float64(r.Failure.At)/1e9, k, r.Failure.Text)
			}
		}
	}
	t.Logf("%v missing %v", fails, seen.Missing())
	t.Log(hist)
}
