package sim

import (
	"slices"
	"testing"
)

// TestSwarm runs a few seeds of every mode; electsim runs the many.
func TestSwarm(t *testing.T) {
	sum := Swarm{First: 1, Seeds: 600, Workers: 2}.Run()
	for _, r := range sum.Failures {
		t.Errorf("seed %d (%s): %s: %s", r.Seed, r.Mode, r.Failure.Invariant, r.Failure.Text)
	}
	// Few deletions have consequences, and next to none of those are left out.
	if n := sum.Coverage[Recreated]; n == 0 || sum.LeftOut > 0 {
		t.Errorf("%d records were created anew, and %d runs left out", n, sum.LeftOut)
	}
	if sum.Failovers < 1000 {
		t.Errorf("%d failovers, want more than a thousand: the faults do not bite", sum.Failovers)
	}
}

func TestEqualPlansRunAlike(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		a, b := Run(NewPlan(seed), nil), Run(NewPlan(seed), func(string) {})
		if a.Digest != b.Digest || a.Events != b.Events || a.Coverage != b.Coverage {
			t.Errorf("seed %d: digest %x and %x, %d and %d events", seed, a.Digest, b.Digest, a.Events, b.Events)
		}
	}
}

func TestDifferentSeedsRunDifferently(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := uint64(1); seed <= 40; seed++ {
		r := Run(NewPlan(seed), nil)
		if other, ok := seen[r.Digest]; ok {
			t.Errorf("seeds %d and %d run alike", seed, other)
		}
		seen[r.Digest] = seed
	}
}

// TestFaultsCanBeSwitchedOff checks that a run without any fault changes its
// leader only where an operator asks for it.
func TestFaultsCanBeSwitchedOff(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		p := NewPlan(seed).Without(everyFault())
		if len(p.Faults) > 0 {
			t.Fatalf("seed %d keeps the faults %v", seed, p.Faults)
		}
		r := Run(p, nil)
		if r.Failure != nil || r.Failovers > 0 {
			t.Errorf("seed %d without faults: %d failovers, %v", seed, r.Failovers, r.Failure)
		}
	}
}

func everyFault() []FaultKind {
	all := []FaultKind{Rollback, Flap}
	for _, w := range weights {
		all = append(all, w.kind)
	}
	return all
}

// TestReduceKeepsWhatMatters checks the shrinking on a failure of two faults out
// of many.
func TestReduceKeepsWhatMatters(t *testing.T) {
	var faults []Fault
	for i := range 37 {
		faults = append(faults, Fault{Kind: Loss, Amount: i})
	}
	has := func(list []Fault, amount int) bool {
		return slices.ContainsFunc(list, func(f Fault) bool { return f.Amount == amount })
	}
	tries := 0
	left := reduce(faults, func(list []Fault) bool { tries++; return has(list, 5) && has(list, 30) })
	if len(left) != 2 || !has(left, 5) || !has(left, 30) {
		t.Errorf("left %v, want the faults 5 and 30", left)
	}
	if tries > 200 {
		t.Errorf("%d tries for 37 faults", tries)
	}
}
