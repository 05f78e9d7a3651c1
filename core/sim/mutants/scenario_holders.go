package mutants

import "github.com/electd/electd/core/sim"

// challengedUnheard is how a follower's challenge stays unresolved while its link
// to the leader heals: the leader cannot reach the store to move the record on.
func challengedUnheard(then sim.Fault) sim.Plan {
	return story(2, 60*sim.Second,
		sim.Fault{Kind: sim.Renewal, At: 15 * sim.Second, Lasts: 1, Who: sim.TheLeader}, // there is an older version
		sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
		sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: 3 * sim.Second, Who: sim.TheLeader},
		sim.Fault{Kind: sim.StoreLate, At: 20 * sim.Second, Lasts: 5 * sim.Second, Who: sim.AFollower},
		then,
	)
}

func tornOverAnOpenWrite() Scenario {
	p := challengedUnheard(sim.Fault{Kind: sim.Torn, At: 21500 * soon, Lasts: 5 * sim.Second})
	p.Faults = append(p.Faults, sim.Fault{Kind: sim.PauseNode, At: 21500 * soon, Lasts: 9 * sim.Second, Who: sim.AFollower})
	return Scenario{
		Name:  "torn-over-an-open-write",
		About: "a challenge is unresolved, and a torn read shows the record that it expects under another version",
		Plans: several(p),
	}
}

func staleOverAnOpenWrite() Scenario {
	p := challengedUnheard(sim.Fault{Kind: sim.Stale, At: 21500 * soon, Lasts: 5 * sim.Second})
	p.Faults = append(p.Faults, sim.Fault{Kind: sim.PauseNode, At: 21500 * soon, Lasts: 9 * sim.Second, Who: sim.AFollower})
	return Scenario{
		Name:  "stale-over-an-open-write",
		About: "a challenge is unresolved, and reads show the record from before the one that it expects",
		Plans: several(p),
	}
}

func absentOverAnOpenWrite() Scenario {
	p := challengedUnheard(sim.Fault{Kind: sim.Stale, At: 21500 * soon, Lasts: 5 * sim.Second})
	p.Faults = append(p.Faults[1:], // there is no older version
		sim.Fault{Kind: sim.PauseNode, At: 21500 * soon, Lasts: 9 * sim.Second, Who: sim.AFollower})
	return Scenario{
		Name:  "absent-over-an-open-write",
		About: "a challenge is unresolved, and reads show the store from before there was a record",
		Plans: several(p),
	}
}

// oldRecordOverAnOpenCreate: a stands still while its record is deleted, b creates it
// anew, and a stale read shows a's. Then a is back and asks for promises.
func oldRecordOverAnOpenCreate() Scenario {
	p := story(2, 60*sim.Second,
		sim.Fault{Kind: sim.PauseMachine, At: 20 * sim.Second, Lasts: 10 * sim.Second, Who: 0},
		sim.Fault{Kind: sim.Delete, At: 20100 * soon, Lasts: 1},
		sim.Fault{Kind: sim.StoreLate, At: 28 * sim.Second, Lasts: 10 * sim.Second, Who: 1},
		sim.Fault{Kind: sim.Stale, At: 29200 * soon, Lasts: 8 * sim.Second},
		sim.Fault{Kind: sim.PauseNode, At: 29300 * soon, Lasts: 9 * sim.Second, Who: 1}, // it takes nothing else meanwhile
	)
	p.Nodes[0].Priority = 2 // a leads
	return Scenario{
		Name:  "old-record-over-an-open-create",
		About: "a deleted record is created anew without an answer, and a stale read shows it as it was",
		Plans: several(p),
	}
}

// rolledBackUnderAChallenge: the leader's renewal is undone. Its follower believes
// that after a lease, and challenges on the older record; the leader still says
// the newer one.
func rolledBackUnderAChallenge() Scenario {
	return Scenario{
		Name:  "rolled-back-under-a-challenge",
		About: "a challenge on a record that was rolled back is unresolved, and the leader speaks of what was undone",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.Renewal, At: 15 * sim.Second, Lasts: 1, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Rollback, At: 19950 * soon, Lasts: 1},
			sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: 12 * sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StoreLate, At: 20 * sim.Second, Lasts: forever, Who: sim.AFollower},
			sim.Fault{Kind: sim.PauseNode, At: 31900 * soon, Lasts: 10 * sim.Second, Who: sim.AFollower},
		)),
	}
}

func failedAtTheSecondAttempt() Scenario {
	// The leader stands still, so that the next read is the challenger's.
	p := challengedUnheard(sim.Fault{Kind: sim.PauseMachine, At: 21300 * soon, Lasts: 1500 * soon, Who: sim.TheLeader})
	p.Faults = append(p.Faults,
		sim.Fault{Kind: sim.StoreRefuse, At: 21400 * soon, Moment: sim.ReadSent, After: soon, Lasts: 500 * soon},
		sim.Fault{Kind: sim.PauseNode, At: 21400 * soon, Moment: sim.WriteSent, After: soon, Lasts: 9 * sim.Second, Who: sim.TheMomentum},
	)
	return Scenario{
		Name:  "failed-at-the-second-attempt",
		About: "a challenge is unresolved, and its second attempt certainly fails",
		Plans: several(p),
	}
}

// lengthenedUnheard: a leader that heartbeats carry is told of a longer lease for
// them, and loses store and follower before that is known applied.
func lengthenedUnheard() Scenario {
	s := Scenario{
		Name:  "lengthened-unheard",
		About: "a leader has a longer lease for heartbeats, which it cannot write, and loses its follower",
	}
	for parts := 20 * sim.Second; parts < 20300*soon; parts += 15 * soon {
		s.Plans = append(s.Plans, story(2, 40*sim.Second,
			sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Reload, At: 19900 * soon, Lasts: 1, Who: sim.TheLeader, Amount: 59},
			sim.Fault{Kind: sim.Partition, At: parts, Lasts: forever, Who: sim.TheLeader},
		))
	}
	return s
}

// releasedUnheard: the release is applied and not answered. The follower, which
// an operator holds back, knows that the record is vacant, and promises all the same.
func releasedUnheard() Scenario {
	return Scenario{
		Name:  "released-unheard",
		About: "a leader's release is applied and not answered, its follower is paused meanwhile",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.StoreSilent, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StepDown, At: 20 * sim.Second, Lasts: 1, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CutOff, At: 20 * sim.Second, Moment: sim.ReleaseSent, After: soon, Lasts: forever, Who: sim.TheMomentum},
			sim.Fault{Kind: sim.PauseNode, At: 20010 * soon, Lasts: 8 * sim.Second, Who: sim.AFollower},
		)),
	}
}

// thawedWithAnswers: the leader's process stands still past the end of its
// authority, so that its service is killed, and finds two late acknowledgements,
// which would carry it on, when it goes on.
func thawedWithAnswers() Scenario {
	s := Scenario{
		Name:  "thawed-with-answers",
		About: "a leader stands still until its service has been killed, and finds acknowledgements that are still good",
		Stays: true,
	}
	for stands := 20 * sim.Second; stands < 20300*soon; stands += 30 * soon {
		for thaws := stands + 1050*soon; thaws < stands+1450*soon; thaws += 50 * soon {
			s.Plans = append(s.Plans, story(2, 40*sim.Second,
				sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
				sim.Fault{Kind: sim.PauseMachine, At: stands, Lasts: 720 * soon, Who: sim.AFollower},
				sim.Fault{Kind: sim.PauseProcess, At: stands + 700*soon, Lasts: thaws - stands - 700*soon, Who: sim.TheLeader},
			))
		}
	}
	return s
}

func stopsForLong() Scenario {
	return Scenario{
		Name:  "stops-for-long",
		About: "a leader is replaced and cannot stop its service for a long time, and whoever replaced it steps down",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: 4 * sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: 4 * sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StopFails, At: 20 * sim.Second, Lasts: 20 * sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StepDown, At: 30 * sim.Second, Lasts: 1, Who: sim.TheLeader},
		)),
	}
}

// staleAtTheLeader: what was before is another session's record.
func staleAtTheLeader() Scenario {
	p := story(2, 60*sim.Second,
		sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 2500 * soon, Who: sim.TheLeader},
		sim.Fault{Kind: sim.Stale, At: 40 * sim.Second, Lasts: 3 * sim.Second},
		sim.Fault{Kind: sim.Store409, At: 40 * sim.Second, Lasts: 3 * sim.Second, Who: sim.TheLeader},
		sim.Fault{Kind: sim.Renewal, At: 40010 * soon, Lasts: 1, Who: sim.TheLeader},
	)
	p.Mode, p.Calms = sim.Severed, 38*sim.Second
	return Scenario{
		Name:  "stale-at-the-leader",
		About: "a leader's renewal is refused without a reason, and it reads what was before: it stays",
		Plans: several(p),
	}
}

func absentAtTheLeader() Scenario {
	p := staleAtTheLeader().Plans[0]
	p.Faults = p.Faults[1:] // nobody else has led, so there is no older version
	return Scenario{
		Name:  "absent-at-the-leader",
		About: "a leader's renewal is refused without a reason, and it reads that there is no record: it stays",
		Plans: several(p),
		Stays: true,
	}
}

func aNewcomerJoins() Scenario {
	p := story(3, 60*sim.Second, sim.Fault{Kind: sim.Renewal, At: 25 * sim.Second, Lasts: 1, Who: sim.TheLeader})
	p.Mode, p.Calms = sim.Severed, 20*sim.Second
	p.Nodes[2].Starts = 30 * sim.Second
	return Scenario{
		Name:  "a-newcomer-joins",
		About: "a node joins two that are well: their leader does not even fence",
		Plans: several(p),
		Stays: true,
	}
}

func linkFails() Scenario {
	p := story(2, 60*sim.Second, sim.Fault{Kind: sim.Partition, At: 30 * sim.Second, Lasts: forever, Who: sim.TheLeader})
	p.Mode, p.Calms = sim.Severed, 20*sim.Second
	return Scenario{
		Name:  "link-fails",
		About: "a leader and its follower lose each other, and both reach the store",
		Plans: several(p),
		Stays: true,
	}
}

// busyOverATornRead: the follower reads the leader's renewal under the version and
// the age of the record before, challenges too early, and conflicts. Its challenge
// stays open, on the record that stands.
func busyOverATornRead() Scenario {
	s := Scenario{
		Name:  "busy-over-a-torn-read",
		About: "a follower has challenged by a torn read when its link to the leader heals",
		Stays: true,
	}
	for heals := 21300 * soon; heals < 22300*soon; heals += 50 * soon {
		s.Plans = append(s.Plans, story(2, 40*sim.Second,
			sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: heals - 20*sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Torn, At: 20 * sim.Second, Lasts: 1050 * soon},
		))
	}
	return s
}
