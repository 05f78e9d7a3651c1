package explore

import "testing"

// BenchmarkStates measures new states a second on one core.
func BenchmarkStates(b *testing.B) {
	g := base("restarts", "speed", Budget{Restarts: restarts(2, 2), Unknown: 1})
	g.States = 100000
	states := 0
	for b.Loop() {
		states += Explore(g, nil).States
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
}
