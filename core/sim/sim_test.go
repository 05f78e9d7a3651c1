package sim

import (
	"fmt"
	"os"
	"testing"
)

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

func printer(t *testing.T) func(string) {
	if os.Getenv("TRACE") == "" {
		return nil
	}
	return func(line string) { fmt.Println(line) }
}

func TestHealthyPairElectsALeader(t *testing.T) {
	p := healthy(2, 20*Second)
	r := Run(p, printer(t))
	if r.Failure != nil {
		t.Fatalf("%s: %s", r.Failure.Invariant, r.Failure.Text)
	}
	t.Logf("%+v", r)
}

func TestFollowerTakesOverACrashedLeader(t *testing.T) {
	p := healthy(2, 60*Second)
	p.Faults = []Fault{{Kind: CrashMachine, At: 20 * Second, Lasts: 10 * Second, Who: TheLeader}}
	r := Run(p, printer(t))
	if r.Failure != nil {
		t.Fatalf("%s: %s", r.Failure.Invariant, r.Failure.Text)
	}
	if r.Failovers != 1 {
		t.Errorf("%d failovers, want 1", r.Failovers)
	}
}
