package demo

import (
	"slices"
	"testing"
	"time"
)

// rounds is how often a benchmark repeats a fault.
const rounds = 20

// fast is the profile for those who want a failover in a quarter of a second.
var fast = timing{lease: 200 * time.Millisecond, text: `
  heartbeat_interval   = "50ms"
  heartbeat_lease      = "200ms"
  fence_margin         = "50ms"
  arbiter_lease        = "2s"
  arbiter_timeout      = "900ms"
  scheduling_allowance = "20ms"
`}

// benchmarkFault repeats one fault on a pair and reports how long the failovers
// took.
func benchmarkFault(b *testing.B, name string, timing timing) {
	faults, err := find([]string{name})
	if err != nil {
		b.Fatal(err)
	}
	w, err := newWorld(program, timing)
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	if err := w.start(); err != nil {
		b.Fatal(err)
	}
	p := &player{world: w}
	var took []float64
	for b.Loop() {
		for range rounds {
			r, err := p.play(b.Context(), faults[0])
			if err != nil {
				b.Fatal(err)
			}
			if r.OverlapMS > 0 || r.FailoverMS == nil {
				b.Fatalf("%+v", r)
			}
			took = append(took, *r.FailoverMS)
		}
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2], "ms-median")
	b.ReportMetric(took[len(took)*99/100], "ms-p99")
	b.ReportMetric(float64(len(took)), "faults")
}

func BenchmarkKill(b *testing.B)     { benchmarkFault(b, "kill", defaults) }
func BenchmarkBlipKill(b *testing.B) { benchmarkFault(b, "blip-kill", defaults) }
func BenchmarkStepDown(b *testing.B) { benchmarkFault(b, "step-down", defaults) }
func BenchmarkFastKill(b *testing.B) { benchmarkFault(b, "kill", fast) }
