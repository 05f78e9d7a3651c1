package sim

import "testing"

// BenchmarkEvents measures events a second on one core, over a swarm's mix of
// plans.
func BenchmarkEvents(b *testing.B) {
	events := 0
	seed := uint64(1)
	for b.Loop() {
		r := Run(NewPlan(seed), nil)
		events += r.Events
		seed++
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}
