package sim

import "testing"

// healthy returns a plan of n nodes without faults.
func healthy(n int, length Time) Plan {
	p := Plan{Seed: 1, Mode: Safety, Length: length, Timing: timings[0]}
	p.Network = NetworkPlan{Latency: [2]Time{100 * Microsecond, Millisecond}}
	p.Store = StorePlan{Latency: [2]Time{5 * Millisecond, 50 * Millisecond}, Ages: true, Resolution: Second, Dates: true}
	for i := range n {
		id := string(rune('a' + i))
		p.Nodes = append(p.Nodes, NodePlan{ID: id, Machine: "m" + id, Priority: 1, Starts: Time(i) * Millisecond})
	}
	return p
}

func TestHealthyPairElectsALeader(t *testing.T) {
	p := healthy(2, 20*Second)
	r := Run(p, nil)
	if r.Failure != nil {
		t.Fatalf("%s: %s", r.Failure.Invariant, r.Failure.Text)
	}
	if r.Failovers != 0 {
		t.Errorf("%d failovers, want none", r.Failovers)
	}
}

func TestFollowerTakesOverACrashedLeader(t *testing.T) {
	p := healthy(2, 60*Second)
	p.Faults = []Fault{{Kind: CrashMachine, At: 20 * Second, Lasts: 10 * Second, Who: TheLeader}}
	r := Run(p, nil)
	if r.Failure != nil {
		t.Fatalf("%s: %s", r.Failure.Invariant, r.Failure.Text)
	}
	if r.Failovers != 1 {
		t.Errorf("%d failovers, want 1", r.Failovers)
	}
}
