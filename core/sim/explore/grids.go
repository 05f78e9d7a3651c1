package explore

// Grids returns the searches that make up the proof. Each looks for one kind of
// fault, with as few others beside it as may be needed to make it do harm; together
// they hold every rule of the protocol. Most are small enough to be searched whole.
func Grids() []Grid {
	var all []Grid
	for _, part := range [][]Grid{
		ofRestarts(), ofServices(), ofStores(), ofReleases(), ofMessages(), ofRecords(), ofRosters(),
	} {
		all = append(all, part...)
	}
	return all
}

// base returns what most grids share.
func base(name, about string, b Budget) Grid {
	return Grid{
		Name: name, About: about, Nodes: 2, HeartbeatLease: 2, ArbiterLease: 4, ArbiterTimeout: 1,
		States: 70_000, Long: 4_000_000, InFlight: 1, Delay: 1, Budget: b,
	}
}

// whole returns a grid that is small enough to be searched whole each time.
func whole(g Grid) Grid {
	g.States, g.Long = 0, 0
	return g
}

// The budget of restarts of the first, second and third node.
func restarts(n ...int8) (each [maxNodes]int8) {
	copy(each[:], n)
	return each
}

func ofRestarts() []Grid {
	var all []Grid
	for _, lease := range []int{2, 3, 4} {
		g := base("restarts-kept-"+string(rune('0'+lease)), "crashes at any moment, disks kept, late writes of dead sessions",
			Budget{Restarts: restarts(2, 2), Unknown: 1})
		g.HeartbeatLease, g.ArbiterLease = lease, max(3, lease)
		if lease == 2 {
			g.States = 1_700_000 // all traces of twenty events
		}
		all = append(all, g)
	}
	lost := base("restarts-lost", "crashes at any moment, disks lost: strangers, admission, floors that come into being",
		Budget{Restarts: restarts(2, 2), LostDisks: 2, Unknown: 1})
	lost.Long = 60_000_000 // it has 41 million
	once := base("lost-once", "one disk lost, for good", Budget{Restarts: restarts(1, 1), LostDisks: 1})
	reordered := base("restarts-reordered", "crashes while messages overtake each other", Budget{Restarts: restarts(1, 1)})
	reordered.InFlight = 2
	return append(all, lost, whole(once), whole(reordered))
}

func ofServices() []Grid {
	process := base("process", "services that outlive their process, and timers that fire late", Budget{Process: 1, Late: 1, Unknown: 1})
	stops := base("stops", "services that take their time to stop", Budget{Process: 1, StepDowns: 1, Unknown: 1})
	stops.SlowStops = true
	saves := base("saves", "floors that get on disk late, and acknowledgements that wait for them", Budget{Restarts: restarts(1, 1)})
	saves.SlowSaves, saves.Long = true, 20_000_000
	return []Grid{process, stops, saves}
}

func ofStores() []Grid {
	ages := base("ages", "a store that says how old a record is", Budget{Restarts: restarts(1, 1)})
	ages.Ages, ages.SlowReads = true, true
	writes := base("writes", "writes answered wrongly: unknown, conflict though applied, conflict though not; and failures",
		Budget{Unknown: 1, Conflicts: 1, Failed: 1})
	twice := base("writes-twice", "two writes of unknown outcome, and a false conflict", Budget{Unknown: 2, Conflicts: 1})
	reads := base("reads", "torn, stale and overtaken reads", Budget{Split: 1, Torn: 1, Stale: 1})
	reads.SlowReads = true
	torn := base("reads-torn", "torn reads, and nothing else", Budget{Split: 1, Torn: 1})
	torn.SlowReads = true
	stale := base("reads-stale", "stale reads while a write is unresolved", Budget{Stale: 1, Unknown: 1})
	stale.SlowReads = true
	blank := base("reads-blank", "stale reads from before there was a record, while a write is unresolved", Budget{Stale: 1, Unknown: 1})
	blank.SlowReads, blank.Blank = true, true
	return []Grid{whole(ages), writes, whole(twice), whole(reads), whole(torn), stale, blank}
}

func ofReleases() []Grid {
	return []Grid{
		whole(base("release", "releases that stay unresolved", Budget{StepDowns: 1, Unknown: 2})),
		base("release-failed", "releases that fail, and are given up", Budget{StepDowns: 1, Unknown: 1, Failed: 1}),
		base("release-sick", "sick leaders, and crashes of those that follow them", Budget{Restarts: restarts(0, 1), Sick: 1, Unknown: 1}),
	}
}

func ofMessages() []Grid {
	g := base("messages", "messages that come late, twice and out of order", Budget{Duplicate: 1, Late: 1, Unknown: 1})
	g.InFlight, g.Delay = 2, 3
	return []Grid{g}
}

func ofRecords() []Grid {
	deletion := base("deletion", "a record that is deleted under a leader", Budget{Restarts: restarts(1, 1), Deleted: 1})
	deletion.Date = 1 << 30
	founding := base("founding", "a new cluster, from nothing", Budget{Unknown: 1})
	crashing := base("founding-crashes", "a new cluster whose founders crash", Budget{Restarts: restarts(1, 1)})
	founding.Empty, founding.Hellos = true, true
	crashing.Empty, crashing.Hellos, crashing.Long = true, true, 20_000_000
	forgotten := base("forgotten", "a record that is deleted when nobody has a floor any more",
		Budget{Restarts: restarts(1, 1), LostDisks: 2, Split: 1, Deleted: 1})
	forgotten.SlowReads, forgotten.Hellos, forgotten.Date = true, true, 1<<30
	forgotten.InFlight = 2     // a node says two Hellos at once, and both count
	forgotten.States = 600_000 // what it looks for takes nine events
	return []Grid{deletion, whole(founding), crashing, forgotten}
}

func ofRosters() []Grid {
	replaced := base("roster-replaced", "an elector is removed, and its machine's successor added, while writes are unresolved",
		Budget{Restarts: restarts(0, 1), LostDisks: 1, Unknown: 2})
	roster := base("roster", "a third node joins while writes are unresolved", Budget{Restarts: restarts(1, 1, 1), Unknown: 2})
	roster.Nodes, roster.Joining, roster.Epochs = 3, 1, 3
	three := base("three", "three nodes", Budget{Restarts: restarts(1, 1, 1), Unknown: 1})
	three.Nodes, three.Epochs = 3, 3
	calm := base("three-calm", "three nodes that only lose messages", Budget{})
	calm.Nodes, calm.Epochs = 3, 2
	return []Grid{replaced, roster, three, calm}
}
