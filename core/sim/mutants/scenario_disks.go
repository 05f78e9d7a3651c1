package mutants

import "github.com/electd/electd/core/sim"

// renewedAndForgotten: b takes over from a and hears of c for the first time. Its disk
// takes no epoch, so it must not make c an elector: when it has crashed and forgotten
// its epoch it carries a again, and a never asked c.
func renewedAndForgotten() Scenario {
	crashes := 24 * sim.Second
	p := story(3, 45*sim.Second,
		sim.Fault{Kind: sim.Link, At: 0, Lasts: forever, Who: 0, Amount: 2},
		sim.Fault{Kind: sim.Deny, At: 20 * sim.Second, Lasts: forever, Who: 0},
		sim.Fault{Kind: sim.Link, At: 21 * sim.Second, Lasts: crashes - 21*sim.Second, Who: 0, Amount: 1},
		sim.Fault{Kind: sim.SaveFails, At: 21 * sim.Second, Lasts: crashes - 21*sim.Second, Who: 1},
		sim.Fault{Kind: sim.CrashMachine, At: crashes, Lasts: 100 * sim.Millisecond, Who: 1},
		sim.Fault{Kind: sim.Deny, At: crashes, Lasts: forever, Who: 1},
	)
	p.Nodes[0].Priority = 2 // a leads
	p.Nodes[2].Starts = 20500 * soon
	return Scenario{
		Name:  "renewed-and-forgotten",
		About: "a node takes, would name a newcomer and crashes before its disk has the epoch, and promises again to the leader before",
		Plans: several(p),
		Stays: true,
	}
}

// heldByAFullDisk: b's disk takes no epoch when it takes over from a, and its peer is back and
// answers. The peer has to lead: whoever cannot must not hold it down by its heartbeats.
func heldByAFullDisk() Scenario {
	p := story(2, 45*sim.Second,
		sim.Fault{Kind: sim.SaveFails, At: 20 * sim.Second, Lasts: forever, Who: 1},
		sim.Fault{Kind: sim.CrashMachine, At: 21 * sim.Second, Lasts: 3 * sim.Second, Who: 0},
	)
	p.Nodes[0].Priority = 2
	p.Mode = sim.Ailing
	return Scenario{
		Name:  "held-by-a-full-disk",
		About: "a node takes, and its disk does not take the epoch; its peer is back and answers its heartbeats",
		Plans: several(p),
	}
}
