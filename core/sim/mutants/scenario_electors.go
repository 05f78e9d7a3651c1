package mutants

import "github.com/electd/electd/core/sim"

// replacedUnheard is how a leader can be replaced without its knowing: it reaches
// neither the store nor its follower. What happens then to whoever replaced it
// happens before they meet again.
func replacedUnheard(then ...sim.Fault) sim.Plan {
	faults := []sim.Fault{
		{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
		{Kind: sim.Partition, At: 20 * sim.Second, Lasts: 4500 * soon, Who: sim.TheLeader},
	}
	for _, f := range then {
		f.At, f.Moment, f.Who = 20*sim.Second, sim.Promotes, sim.TheMomentum
		faults = append(faults, f)
	}
	return story(2, 60*sim.Second, faults...)
}

func askedBeforeItReads() Scenario {
	p := replacedUnheard(
		sim.Fault{Kind: sim.CutOff, After: 1500 * soon, Lasts: 5 * sim.Second},
		sim.Fault{Kind: sim.LoseDisk, After: 1600 * soon, Lasts: 100 * soon},
	)
	p.NodeIDs = true
	return Scenario{
		Name:  "asked-before-it-reads",
		About: "a leader loses its disk, not its identity, and the leader before it asks it for promises before it can read",
		Plans: several(p),
	}
}

func askedAtAnEpochThatIsOver() Scenario {
	return Scenario{
		Name:  "asked-at-an-epoch-that-is-over",
		About: "a leader restarts and cannot read, and the leader before it asks it for promises",
		Plans: several(replacedUnheard(
			sim.Fault{Kind: sim.CutOff, After: 1500 * soon, Lasts: 5 * sim.Second},
			sim.Fault{Kind: sim.CrashMachine, After: 1600 * soon, Lasts: 100 * soon},
		)),
	}
}

func promisedAndForgotten() Scenario {
	s := Scenario{
		Name:  "promised-and-forgotten",
		About: "an elector restarts that could not save the epochs it heard of; leader and record are gone, and the store tells no date",
	}
	for _, saves := range []sim.Time{21 * sim.Second, 26 * sim.Second} {
		p := story(2, 60*sim.Second,
			sim.Fault{Kind: sim.SaveFails, At: 19 * sim.Second, Lasts: saves - 19*sim.Second, Who: sim.AFollower},
			sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 100 * soon, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CrashMachine, At: 22 * sim.Second, Lasts: 100 * soon, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CrashMachine, At: 25 * sim.Second, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Delete, At: 25010 * soon, Lasts: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 25020 * soon, Lasts: 100 * soon, Who: sim.AFollower},
		)
		p.Store.Dates = false
		s.Plans = append(s.Plans, several(p)...)
	}
	return s
}

func onlyTheElectorKnows() Scenario {
	p := story(2, 130*sim.Second,
		sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: 6 * sim.Second, Who: sim.TheLeader},
		sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: 20 * sim.Second, Who: sim.TheLeader},
		sim.Fault{Kind: sim.Rollback, At: 20 * sim.Second, Moment: sim.Promotes, After: 1500 * soon, Lasts: 1},
		sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Moment: sim.Promotes, After: 1510 * soon, Lasts: 20 * sim.Second, Who: sim.TheMomentum},
	)
	p.Mode, p.Settles, p.Calms = sim.Recover, 66*sim.Second, 120*sim.Second
	return Scenario{
		Name:  "only-the-elector-knows",
		About: "a leader is replaced without its knowing, the record is rolled back to it, and it leads on below its elector's floor",
		Plans: several(p),
	}
}

// twoSessionsAtOneEpoch: a leads at epoch 1 and dies, b takes 2 and leads by the
// promises of a's next session. The record is rolled back, b dies, and c, which has
// been out of reach, takes 2 as well. a cannot read.
func twoSessionsAtOneEpoch() Scenario {
	p := story(3, 60*sim.Second,
		sim.Fault{Kind: sim.Partition, At: 19 * sim.Second, Lasts: 20 * sim.Second, Who: 2},
		sim.Fault{Kind: sim.CutOff, At: 19 * sim.Second, Lasts: 11 * sim.Second, Who: 2},
		sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 8300 * soon, Who: 0},
		sim.Fault{Kind: sim.PauseNode, At: 29300 * soon, Lasts: forever, Who: 0},
		sim.Fault{Kind: sim.CutOff, At: 29400 * soon, Lasts: forever, Who: 0},
		sim.Fault{Kind: sim.Rollback, At: 29500 * soon, Lasts: 1},
		sim.Fault{Kind: sim.CrashMachine, At: 29600 * soon, Lasts: forever, Who: 1},
	)
	p.Nodes[0].Priority = 3
	return Scenario{
		Name:  "two-sessions-at-one-epoch",
		About: "after a rollback one epoch is taken twice, and an elector that promised the first session is asked by the second",
		Plans: several(p),
	}
}

// newcomerInALostChallenge: b leads a; c is in touch with a alone.
func newcomerInALostChallenge() Scenario {
	p := story(3, 60*sim.Second,
		sim.Fault{Kind: sim.Link, At: 0, Lasts: forever, Who: 1, Amount: 2},
		sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: 1},
		sim.Fault{Kind: sim.PauseMachine, At: 20 * sim.Second, Lasts: 1700 * soon, Who: 1},
		sim.Fault{Kind: sim.StoreLate, At: 20 * sim.Second, Lasts: 3 * sim.Second, Who: 0},
		sim.Fault{Kind: sim.CrashMachine, At: 20500 * soon, Moment: sim.TakeSent, After: 5 * soon, Lasts: 200 * soon, Who: 0},
	)
	p.Nodes[1].Priority = 2
	p.Nodes[2].Starts = 15 * sim.Second
	return Scenario{
		Name:  "newcomer-in-a-lost-challenge",
		About: "a challenge lands when its writer has died and promised again; a newcomer, unknown to the leader, reads it",
		Plans: several(p),
		Stays: true,
	}
}

// removedUnheard: two machines take turns as b. The second one, which has a floor
// from its first turn, is to replace the first again, but that is never written.
func removedUnheard() Scenario {
	return Scenario{
		Name:  "removed-unheard",
		About: "a leader cannot write that an elector gives way to another machine, and that elector takes",
		Plans: several(story(2, 90*sim.Second,
			sim.Fault{Kind: sim.Twin, At: 20 * sim.Second, Lasts: 1, Who: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 15 * sim.Second, Who: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 35 * sim.Second, Lasts: 20 * sim.Second, Who: 2},
			sim.Fault{Kind: sim.Partition, At: 54900 * soon, Lasts: forever, Who: 1},
			sim.Fault{Kind: sim.CutOff, At: 61 * sim.Second, Lasts: forever, Who: 0},
		)),
	}
}

// createdByAStranger: the leader's configuration does not list c for a while, and c
// knows that it is no elector any more. It is out of reach of all others when the
// record is deleted.
func createdByAStranger() Scenario {
	p := story(3, 60*sim.Second,
		sim.Fault{Kind: sim.Remove, At: 20 * sim.Second, Lasts: 10 * sim.Second, Who: 0, Amount: 2},
		sim.Fault{Kind: sim.Partition, At: 29900 * soon, Lasts: forever, Who: 2},
		sim.Fault{Kind: sim.Delete, At: 33 * sim.Second, Lasts: 1},
	)
	p.Nodes[0].Priority = 2 // a leads
	return Scenario{
		Name:  "created-by-a-stranger",
		About: "a machine that was an elector and is none any more finds the record gone",
		Plans: several(p),
	}
}

// createdWithoutAFloor: the second machine has never read the record when it is
// deleted, and the first one's promises carry the leader.
func createdWithoutAFloor() Scenario {
	return Scenario{
		Name:  "created-without-a-floor",
		About: "a machine that never saw the record finds it gone, though the leader tells that there was one",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.StoreDown, At: 19900 * soon, Lasts: sim.Second},
			sim.Fault{Kind: sim.Twin, At: 20 * sim.Second, Lasts: 1, Who: sim.AFollower},
			sim.Fault{Kind: sim.CutOff, At: 20500 * soon, Lasts: 10 * sim.Second, Who: 2},
			sim.Fault{Kind: sim.CutOff, At: 24 * sim.Second, Lasts: forever, Who: sim.TheLeader}, // it does not notice
			sim.Fault{Kind: sim.Delete, At: 25 * sim.Second, Lasts: 1},
		)),
		Stays: true,
	}
}

// backWhenReplaced: two machines take turns as b, and one is back when the other
// has just become the elector.
func backWhenReplaced() Scenario {
	s := Scenario{
		Name:  "back-when-replaced",
		About: "a machine is back just when another one of its name has replaced it",
		Stays: true,
	}
	for back := 42300 * soon; back < 43800*soon; back += 15 * soon {
		s.Plans = append(s.Plans, story(2, 60*sim.Second,
			sim.Fault{Kind: sim.Twin, At: 20 * sim.Second, Lasts: 1, Who: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 15 * sim.Second, Who: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 35 * sim.Second, Lasts: back - 35*sim.Second, Who: 2},
		))
	}
	return s
}

func secondMachineOfAName() Scenario {
	return Scenario{
		Name:  "second-machine-of-a-name",
		About: "a machine starts with the name of an elector that lives",
		Plans: several(story(2, 40*sim.Second, sim.Fault{Kind: sim.Twin, At: 20 * sim.Second, Lasts: 1, Who: sim.AFollower})),
		Stays: true,
	}
}
