package explore

import "github.com/electd/electd/core"

// Grids returns the searches that make up the proof, the smaller ones first. Each
// looks for one kind of fault; together they hold every rule of the protocol.
func Grids() []Grid {
	var all []Grid
	for _, lease := range []int{2, 3, 4} {
		g := base("restarts-kept-" + digit(lease))
		g.About = "two nodes, disks kept: crashes at any moment, late writes of dead sessions"
		g.HeartbeatLease, g.ArbiterLease, g.Epochs = lease, max(3, lease), 3
		if lease == 2 {
			g.States = 6_000_000 // all traces of twenty steps
		}
		g.Budget = Budget{Restarts: [maxNodes]int8{2, 2}, Unknown: 1}
		all = append(all, g)
	}

	g := base("restarts-lost")
	g.About = "two nodes, disks lost: strangers, admission, floors that come into being"
	g.Budget = Budget{Restarts: [maxNodes]int8{2, 2}, LostDisks: 2, Unknown: 1}
	all = append(all, g)

	g = base("process")
	g.About = "services that outlive their process, and timers that fire late"
	g.Budget = Budget{Process: 2, Late: 2, Unknown: 1}
	all = append(all, g)

	g = base("stops")
	g.About = "services that take their time to stop"
	g.SlowStops = true
	g.Budget = Budget{Process: 1, StepDowns: 1, Unknown: 1}
	all = append(all, g)

	g = base("saves")
	g.About = "floors that get on disk late, and acknowledgements that wait for them"
	g.SlowSaves = true
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, Unknown: 1}
	all = append(all, g)

	g = base("ages")
	g.About = "a store that says how old a record is"
	g.Ages, g.SlowReads = true, true
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, Unknown: 1, Failed: 1}
	all = append(all, g)

	g = base("writes")
	g.About = "writes answered wrongly: unknown, conflict though applied, conflict though not"
	g.Budget = Budget{Unknown: 2, Conflicts: 2, Failed: 1}
	all = append(all, g)

	g = base("reads")
	g.About = "torn, stale and overtaken reads"
	g.SlowReads = true
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, Unknown: 1, Split: 1, Torn: 1, Stale: 1}
	all = append(all, g)

	g = base("release")
	g.About = "releases that stay unresolved, step-downs, sick leaders"
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, StepDowns: 2, Sick: 1, Unknown: 2, Failed: 1}
	all = append(all, g)

	g = base("messages")
	g.About = "messages that come late, twice and out of order"
	g.InFlight, g.Delay = 2, 3
	g.Budget = Budget{Duplicate: 2, Late: 1, Unknown: 1}
	all = append(all, g)

	g = base("deletion")
	g.About = "a record that is deleted under a leader"
	g.Date, g.Epochs = 8, 12
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, Deleted: 1, Failed: 1}
	all = append(all, g)

	g = base("founding")
	g.About = "a new cluster, from nothing"
	g.Empty = true
	g.Hellos = true
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1}, Unknown: 2}
	all = append(all, g)

	g = base("roster")
	g.About = "a third node joins and is removed while writes are unresolved"
	g.Nodes, g.Joining = 3, 1
	g.Epochs = 3
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1, 1}, Unknown: 2}
	all = append(all, g)

	g = base("three")
	g.About = "three nodes"
	g.Nodes = 3
	g.Epochs = 3
	g.Budget = Budget{Restarts: [maxNodes]int8{1, 1, 1}, Unknown: 1}
	all = append(all, g)
	return all
}

// base returns what most grids share.
func base(name string) Grid {
	return Grid{
		Name: name, Nodes: 2, HeartbeatLease: 2, ArbiterLease: 4, ArbiterTimeout: 1,
		Depth: 60, States: 150_000, Epochs: core.Epoch(4), InFlight: 1, Delay: 1,
	}
}

func digit(n int) string { return string(rune('0' + n)) }
