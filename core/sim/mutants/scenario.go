package mutants

import "github.com/electd/electd/core/sim"

// Scenario is a story that chance tells too seldom: a few faults, aimed. The core
// as it is has to live through it.
type Scenario struct {
	Name  string
	About string
	Plans []sim.Plan // variants, told one after the other
}

// Scenarios returns all of them.
func Scenarios() []Scenario {
	return []Scenario{aloneAndCutOff(), joinedUnheard(), shortenedUnheard(), healedAtTheFence()}
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
	p := story(3, 60*sim.Second,
		sim.Fault{Kind: sim.StoreSilent, At: 19 * sim.Second, Lasts: forever, Who: sim.TheLeader},
		sim.Fault{Kind: sim.CutOff, At: 19 * sim.Second, Moment: anyWrite, After: soon, Lasts: forever, Who: sim.TheMomentum},
		sim.Fault{Kind: sim.Partition, At: 19 * sim.Second, Moment: anyWrite, After: soon, Lasts: forever, Who: 2},
	)
	p.Nodes[2].Starts = 20 * sim.Second
	return Scenario{
		Name:  "joined-unheard",
		About: "the write that makes a newcomer an elector is applied and not answered; the newcomer hears nobody and takes",
		Plans: several(p),
	}
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
