package sim

import (
	"math/rand/v2"

	"github.com/electd/electd/core"
)

// Mode says what a run is judged by, besides the invariants that always hold.
type Mode string

// The modes of a run.
const (
	Safety   Mode = "safety"   // faults all the time
	Storm    Mode = "storm"    // leader after leader is taken down
	Recover  Mode = "recover"  // faults stop; somebody must lead soon (L1)
	Outage   Mode = "outage"   // a healthy group loses the store; its leader must stay (L2)
	Burst    Mode = "burst"    // one fault, then peace; at most one new epoch (L3)
	Deafness Mode = "deafness" // a leader that sends but hears nobody, nor the store: another one must lead (L1)
	Severed  Mode = "severed"  // a leader loses its peers while the store is well: it must stay (L4)
	Ailing   Mode = "ailing"   // a leader falls ill: a healthy one must lead (L1)
	Orphans  Mode = "orphans"  // all disks are lost, and an operator admits a machine: somebody must lead (L1)
)

// Plan is everything a run follows from. Equal plans run alike.
type Plan struct {
	Seed    uint64
	Mode    Mode
	Length  Time
	Settles Time // when all faults are over for good; 0: never
	Leads   Time // when somebody must lead (L1); 0: not said
	Calms   Time // from when on nothing should happen any more; 0: never
	Timing  Timing
	Nodes   []NodePlan
	Apart   bool // no peers are configured: nodes know of each other by the record alone
	NodeIDs bool // identity = "node-id": who lost its disk comes back as who it was
	Store   StorePlan
	Network NetworkPlan
	Faults  []Fault
}

// Timing is the part of the configuration that all nodes share. The sum of
// design 3.1 fits into the margin.
type Timing struct {
	ArbiterLease, Interval, HeartbeatLease, Margin, ArbiterTimeout Time

	Schedule Time // longest delay of a timer, of an event and of the guard's use
	Stop     Time // longest stop of the service
	Kill     Time // what the watchdog keeps for itself
	Promote  Time // longest promote hook
}

// NodePlan describes one machine.
type NodePlan struct {
	ID       string
	Machine  string // its identity, as long as its disk lives
	PPM      int64  // clock rate error
	Priority int
	Starts   Time

	ArbiterLease, HeartbeatLease Time // its own configuration, where it differs
}

// StorePlan describes the store.
type StorePlan struct {
	Latency    [2]Time
	Ages       bool // it says how old a record is
	Resolution Time // what its dates are rounded to; subtracted from ages
	Dates      bool // it says what time it is
}

// NetworkPlan describes the network between the nodes.
type NetworkPlan struct {
	Latency [2]Time
	Loss    int // of 1000 messages
}

// timings are the profiles that runs choose from: the defaults of design 3.1
// and the fast profile of design 10, each with the allowances that fit.
var timings = []Timing{
	{30 * Second, 500 * Millisecond, 1500 * Millisecond, 500 * Millisecond, 2 * Second,
		50 * Millisecond, 300 * Millisecond, 50 * Millisecond, 200 * Millisecond},
	{2 * Second, 50 * Millisecond, 200 * Millisecond, 80 * Millisecond, 400 * Millisecond,
		15 * Millisecond, 40 * Millisecond, 10 * Millisecond, 20 * Millisecond},
	{8 * Second, 300 * Millisecond, 1200 * Millisecond, 400 * Millisecond, 1 * Second,
		50 * Millisecond, 250 * Millisecond, 50 * Millisecond, 100 * Millisecond},
}

// modes are drawn from; those of long and quiet runs less often.
var modes = []Mode{
	Safety, Safety, Safety, Safety, Safety, Safety, Safety, Safety, Safety, Safety, Storm, Storm, Storm, Storm, Storm,
	Recover, Recover, Recover, Burst, Burst, Outage, Deafness, Severed, Orphans,
}

// NewPlan returns the plan of a seed: a swarm of configurations and faults.
func NewPlan(seed uint64) Plan {
	rng := rand.New(rand.NewPCG(seed, 0x706c616e))
	p := Plan{Seed: seed, Mode: Safety, Timing: timings[rng.IntN(len(timings))]}
	p.Mode = modes[rng.IntN(len(modes))]
	p.Network = NetworkPlan{Latency: [2]Time{100 * Microsecond, between(rng, 200*Microsecond, p.Timing.Interval/8)}}
	p.Store = StorePlan{
		Latency:    [2]Time{1 * Millisecond, between(rng, 2*Millisecond, p.Timing.ArbiterTimeout/4)},
		Ages:       rng.IntN(3) > 0,
		Resolution: []Time{0, Millisecond, Second}[rng.IntN(3)],
		Dates:      rng.IntN(3) > 0,
	}
	p.planNodes(rng)
	p.planFaults(rng)
	p.NodeIDs = rng.IntN(4) == 0
	return p
}

func (p *Plan) planNodes(rng *rand.Rand) {
	n := []int{2, 2, 2, 3, 3, 4, 5}[rng.IntN(7)]
	differ := p.Mode == Safety && rng.IntN(4) == 0
	skewed := rng.IntN(2) == 0
	for i := range n {
		node := NodePlan{ID: string(rune('a' + i)), Priority: 1 + rng.IntN(2)}
		node.Machine = "m" + node.ID
		node.Starts = between(rng, 0, p.Timing.Interval)
		if skewed {
			node.PPM = rng.Int64N(2001) - 1000
		}
		if differ {
			node.ArbiterLease = p.Timing.ArbiterLease * (2 + rng.Int64N(3)) / 3
			node.HeartbeatLease = p.Timing.HeartbeatLease * (3 + rng.Int64N(2)) / 3
		}
		p.Nodes = append(p.Nodes, node)
	}
}

// between draws a time, small ones as likely as large ones.
func between(rng *rand.Rand, low, high Time) Time {
	if high <= low {
		return low
	}
	span := high - low
	for range rng.IntN(4) {
		span = span/3 + 1
	}
	return low + rng.Int64N(span+1)
}

func (p *Plan) config(i int) core.Config {
	n := &p.Nodes[i]
	c := core.Config{
		Election: "orders", Node: n.ID, Identity: n.Machine,
		Addresses:         core.Addresses{Peer: n.ID + ":7400", API: n.ID + ":7401"},
		Software:          "sim",
		ArbiterLease:      duration(p.Timing.ArbiterLease),
		HeartbeatInterval: duration(p.Timing.Interval),
		HeartbeatLease:    duration(p.Timing.HeartbeatLease),
		FenceMargin:       duration(p.Timing.Margin),
		ArbiterTimeout:    duration(p.Timing.ArbiterTimeout),
	}
	if n.ArbiterLease != 0 {
		c.ArbiterLease = duration(n.ArbiterLease)
	}
	if n.HeartbeatLease != 0 {
		c.HeartbeatLease = duration(n.HeartbeatLease)
	}
	if p.Apart {
		return c
	}
	for j := range p.Nodes {
		if id := p.Nodes[j].ID; id != n.ID && !contains(c.Peers, id) {
			c.Peers = append(c.Peers, id)
		}
	}
	return c
}
