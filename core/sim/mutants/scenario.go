package mutants

import "github.com/electd/electd/core/sim"

// Scenario is a story that chance tells too seldom: a few faults, aimed. The core
// as it is has to live through it.
type Scenario struct {
	Name  string
	About string
	Plans []sim.Plan // variants, told one after the other
	Stays bool       // the leader has to stay; in all others another one takes over
}

// Has reports whether a fault of one of some kinds is part of the story.
func (s *Scenario) Has(kinds []sim.FaultKind) bool {
	for _, p := range s.Plans {
		if len(p.Without(kinds).Faults) < len(p.Faults) {
			return true
		}
	}
	return false
}

// Scenarios returns all of them.
func Scenarios() []Scenario {
	return append(ofFound(),
		aloneAndCutOff(), joinedUnheard(), shortenedUnheard(), healedAtTheFence(), owedAndTaking(), tornThenWhole(),
		landedLateThenSilent(), landedLateThenRestarted(), heardByOneOfTwo(), rolledBackToMine(),
		askedBeforeItReads(), askedAtAnEpochThatIsOver(), promisedAndForgotten(), onlyTheElectorKnows(), twoSessionsAtOneEpoch(),
		tornOverAnOpenWrite(), staleOverAnOpenWrite(), absentOverAnOpenWrite(), oldRecordOverAnOpenCreate(), lengthenedUnheard(), rolledBackUnderAChallenge(),
		failedAtTheSecondAttempt(), newcomerInALostChallenge(), secondMachineOfAName(), backWhenReplaced(), removedUnheard(),
		releasedUnheard(), thawedWithAnswers(), stopsForLong(), linkFails(), aNewcomerJoins(),
		staleAtTheLeader(), absentAtTheLeader(), createdByAStranger(), createdWithoutAFloor(), busyOverATornRead(),
		illWithAPeer(), illWithoutPeers(), illAndNobodyElse(), renewedAndForgotten(), heldByAFullDisk(),
	)
}

const (
	soon     = sim.Millisecond // the write has left by then, and nothing else
	forever  = 1000 * sim.Second
	anyWrite = sim.WriteSent
)

// timing is a profile whose sum fits into its margin.
var timing = sim.Timing{
	ArbiterLease: 8 * sim.Second, Interval: 300 * sim.Millisecond, HeartbeatLease: 1200 * sim.Millisecond,
	Margin: 400 * sim.Millisecond, ArbiterTimeout: sim.Second,
	Schedule: 50 * sim.Millisecond, Stop: 250 * sim.Millisecond, Kill: 50 * sim.Millisecond, Promote: 100 * sim.Millisecond,
}

// story returns a plan of n healthy nodes, a, b and so on.
func story(n int, length sim.Time, faults ...sim.Fault) sim.Plan {
	p := sim.Plan{Seed: 1, Mode: sim.Safety, Length: length, Timing: timing, Faults: faults}
	p.Network = sim.NetworkPlan{Latency: [2]sim.Time{100 * sim.Microsecond, sim.Millisecond}}
	p.Store = sim.StorePlan{Latency: [2]sim.Time{5 * sim.Millisecond, 20 * sim.Millisecond}, Ages: true, Dates: true}
	for i := range n {
		id := string(rune('a' + i))
		p.Nodes = append(p.Nodes, sim.NodePlan{ID: id, Machine: "m" + id, Priority: 1, Starts: sim.Time(i) * soon})
	}
	return p
}

// several returns a plan under several seeds: latencies and ranks fall otherwise.
func several(p sim.Plan) []sim.Plan {
	var all []sim.Plan
	for seed := range uint64(20) {
		p.Seed = seed + 1
		all = append(all, p)
	}
	return all
}

func aloneAndCutOff() Scenario {
	return Scenario{
		Name:  "alone-and-cut-off",
		About: "a leader that never met its peer loses the store, and the peer takes",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.Partition, At: 0, Lasts: forever, Who: 1},
			sim.Fault{Kind: sim.CutOff, At: 20 * sim.Second, Lasts: forever, Who: sim.TheLeader},
		)),
	}
}

func joinedUnheard() Scenario {
	var plans []sim.Plan
	for _, p := range several(sim.Plan{}) {
		// The renewal that comes first is answered; the write after it, which names
		// the newcomer, is not. When that is depends on the seed's latencies.
		for ms := int64(2); ms <= 20; ms += 3 {
			p = joinsUnheard(p.Seed, 20*sim.Second+ms*sim.Millisecond)
			plans = append(plans, p)
		}
	}
	return Scenario{
		Name:  "joined-unheard",
		About: "the write that makes a newcomer an elector is applied and not answered; the newcomer hears nobody and takes",
		Plans: plans,
	}
}

func joinsUnheard(seed uint64, silent int64) sim.Plan {
	p := story(3, 60*sim.Second,
		sim.Fault{Kind: sim.StoreSilent, At: silent, Lasts: forever, Who: sim.TheLeader},
		sim.Fault{Kind: sim.CutOff, At: silent, Moment: anyWrite, After: soon, Lasts: forever, Who: sim.TheMomentum},
		sim.Fault{Kind: sim.Partition, At: silent, Moment: anyWrite, After: soon, Lasts: forever, Who: 2},
	)
	p.Seed = seed
	p.Nodes[2].Starts = 20 * sim.Second
	return p
}

func shortenedUnheard() Scenario {
	return Scenario{
		Name:  "shortened-unheard",
		About: "a write with a shorter lease is applied and not answered; the follower counts by it",
		Plans: several(story(2, 60*sim.Second,
			sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StoreSilent, At: 21 * sim.Second, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CutOff, At: 21 * sim.Second, Moment: anyWrite, After: soon, Lasts: forever, Who: sim.TheMomentum},
			sim.Fault{Kind: sim.Reload, At: 21*sim.Second + soon, Lasts: 1, Who: sim.TheLeader},
		)),
	}
}

func healedAtTheFence() Scenario {
	s := Scenario{
		Name:  "healed-at-the-fence",
		About: "a leader that could not send fences, and its link heals while its service stops",
	}
	for heals := 27 * sim.Second; heals < 29*sim.Second; heals += 10 * sim.Millisecond {
		s.Plans = append(s.Plans, story(2, 40*sim.Second,
			sim.Fault{Kind: sim.OneWay, At: 20 * sim.Second, Lasts: heals - 20*sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CutOff, At: 22 * sim.Second, Lasts: forever, Who: sim.TheLeader},
		))
	}
	return s
}

func owedAndTaking() Scenario {
	s := Scenario{
		Name:  "owed-and-taking",
		About: "an acknowledgement waits for the disk while its holder dies and is replaced",
	}
	for saves := 28 * sim.Second; saves < 33*sim.Second; saves += 50 * sim.Millisecond {
		s.Plans = append(s.Plans, story(2, 45*sim.Second,
			sim.Fault{Kind: sim.SaveFails, At: 19 * sim.Second, Lasts: saves - 19*sim.Second, Who: sim.AFollower},
			sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: 100 * sim.Millisecond, Who: sim.TheLeader},
			sim.Fault{Kind: sim.CrashMachine, At: 22 * sim.Second, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.StoreSlow, At: 23 * sim.Second, Lasts: forever},
		))
	}
	return s
}

func tornThenWhole() Scenario {
	s := Scenario{
		Name:  "torn-then-whole",
		About: "a read gives a new record the age of the one before it; the next read is whole",
	}
	for ends := 25500 * soon; ends < 29*sim.Second; ends += 100 * soon {
		s.Plans = append(s.Plans, story(2, 60*sim.Second,
			sim.Fault{Kind: sim.Partition, At: 20 * sim.Second, Lasts: forever, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Torn, At: 24800 * soon, Lasts: ends - 24800*soon},
			sim.Fault{Kind: sim.CutOff, At: 25 * sim.Second, Lasts: forever, Who: sim.TheLeader},
		))
	}
	return s
}

// landedLate is how a follower's challenge can be applied long after it has died,
// while its next session has promised the old leader not to challenge: the leader
// was frozen, and cannot reach the store to move the record on.
func landedLate(then sim.Fault) []sim.Plan {
	return several(story(2, 60*sim.Second,
		sim.Fault{Kind: sim.CutOff, At: 19900 * soon, Lasts: forever, Who: sim.TheLeader},
		sim.Fault{Kind: sim.StoreLate, At: 20 * sim.Second, Lasts: 3 * sim.Second, Who: sim.AFollower},
		sim.Fault{Kind: sim.PauseMachine, At: 20 * sim.Second, Lasts: 1700 * soon, Who: sim.TheLeader},
		sim.Fault{Kind: sim.CrashMachine, At: 20500 * soon, Moment: sim.TakeSent, After: 5 * soon, Lasts: 200 * soon, Who: sim.TheMomentum},
		then,
	))
}

func landedLateThenSilent() Scenario {
	return Scenario{
		Name:  "landed-late-then-silent",
		About: "the next session of a node that died over its challenge finds it applied, after it has promised",
		Plans: landedLate(sim.Fault{Kind: sim.OneWay, At: 35 * sim.Second, Lasts: 5 * sim.Second, Who: sim.TheLeader}),
	}
}

func landedLateThenRestarted() Scenario {
	return Scenario{
		Name:  "landed-late-then-restarted",
		About: "the session after the next finds the challenge applied; the one between has promised",
		Plans: landedLate(sim.Fault{Kind: sim.CrashMachine, At: 35 * sim.Second, Lasts: 20 * soon, Who: sim.AFollower}),
	}
}

func heardByOneOfTwo() Scenario {
	p := story(3, 120*sim.Second,
		sim.Fault{Kind: sim.CrashMachine, At: 20 * sim.Second, Lasts: forever, Who: sim.AFollower},
		sim.Fault{Kind: sim.CutOff, At: 20*sim.Second + soon, Lasts: forever, Who: sim.TheLeader},
	)
	p.Mode = sim.Deafness
	return Scenario{
		Name:  "heard-by-one-of-two",
		About: "a leader loses the store and one of two electors; the other one has to lead",
		Plans: several(p),
	}
}

func rolledBackToMine() Scenario {
	s := Scenario{
		Name:  "rolled-back-to-mine",
		About: "a record is rolled back to one of a session that still runs, and an elector knows a higher epoch",
	}
	for back := 4 * sim.Second; back < 24*sim.Second; back += sim.Second {
		p := story(2, 130*sim.Second,
			sim.Fault{Kind: sim.PauseMachine, At: 20 * sim.Second, Lasts: 5 * sim.Second, Who: sim.TheLeader},
			sim.Fault{Kind: sim.Rollback, At: 40 * sim.Second, Lasts: 1},
			sim.Fault{Kind: sim.CrashMachine, At: 41 * sim.Second, Lasts: back, Who: sim.TheLeader},
		)
		p.Mode, p.Settles, p.Calms = sim.Recover, 66*sim.Second, 120*sim.Second
		s.Plans = append(s.Plans, p)
	}
	return s
}
