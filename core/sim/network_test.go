package sim

import "testing"

// TestAMachineThatStartsDuringAPartition checks that it is cut off from who is cut
// off, as long as that lasts and no longer.
func TestAMachineThatStartsDuringAPartition(t *testing.T) {
	for _, kind := range []FaultKind{Partition, OneWay, Deaf} {
		var net network
		net.grow(2)
		net.block(0, 1, kind)
		net.grow(3)
		if net.open(0, 2) != (kind == Deaf) || net.open(2, 0) != (kind == OneWay) {
			t.Errorf("%s: the new machine hears the other: %t, is heard by it: %t", kind, net.open(0, 2), net.open(2, 0))
		}
		if !net.open(1, 2) || !net.open(2, 1) {
			t.Errorf("%s: it is cut off from others too", kind)
		}
		net.block(0, -1, kind)
		for from := range 3 {
			for to := range 3 {
				if !net.open(from, to) {
					t.Errorf("%s: %d does not reach %d after it is over", kind, from, to)
				}
			}
		}
	}
}

func TestALinkIsCutBothWays(t *testing.T) {
	var net network
	net.grow(3)
	net.blockLink(0, 2, 1)
	if net.open(0, 2) || net.open(2, 0) || !net.open(0, 1) || !net.open(2, 1) {
		t.Error("a link's fault cuts something else than the link")
	}
	net.blockLink(0, 2, -1)
	if !net.open(0, 2) || !net.open(2, 0) {
		t.Error("the link stays cut")
	}
}

// TestAFlappingMachineComesAndGoes checks that it is cut off and not in turns as long
// as the fault lasts, and that others are not.
func TestAFlappingMachineComesAndGoes(t *testing.T) {
	p := NewPlan(1)
	p.Nodes = []NodePlan{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	p.Faults = []Fault{{Kind: Flap, Lasts: Second}}
	w := newWorld(p, nil)
	w.strike(0)
	changes, last := 0, true
	for ; w.now < 20*p.Timing.Interval; w.now += p.Timing.Interval / 8 {
		open := w.open(0, 1)
		if open != w.open(1, 0) || !w.open(1, 2) {
			t.Fatalf("at %d: from a to b %t, from b to a %t, from b to c %t", w.now, open, w.open(1, 0), w.open(1, 2))
		}
		if open != last {
			changes++
		}
		last = open
	}
	if changes < 10 {
		t.Errorf("it came or went %d times in 20 intervals", changes)
	}
	w.subside(0)
	for ; w.now < 40*p.Timing.Interval; w.now += p.Timing.Interval / 8 {
		if !w.open(0, 1) || !w.open(1, 0) {
			t.Fatal("it is cut off when the fault is over")
		}
	}
}
