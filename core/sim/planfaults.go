package sim

import "math/rand/v2"

// planFaults draws the run's faults, and sets how long it lasts.
func (p *Plan) planFaults(rng *rand.Rand) {
	switch p.Mode {
	case Outage:
		p.planOutage()
	case Deafness:
		p.planDeafness()
	case Severed:
		p.planSevered(rng)
	case Orphans:
		p.planOrphans(rng)
	case Burst:
		p.planBurst(rng)
	case Storm:
		p.planStorm(rng)
	case Safety:
		p.planMixture(rng)
	case Recover:
		p.planRecovery(p.planMixture(rng))
	}
}

// planOutage takes the store away from a healthy group.
func (p *Plan) planOutage() {
	p.Length = 12 * p.Timing.ArbiterLease
	p.Calms = 3 * p.Timing.ArbiterLease
	p.Faults = []Fault{{Kind: StoreDown, At: 4 * p.Timing.ArbiterLease, Lasts: p.Length}}
}

// planDeafness lets a leader hear neither its peers nor the store.
func (p *Plan) planDeafness() {
	p.Length = 5*p.Timing.ArbiterLease + 2*p.recoverBound()
	for _, kind := range []FaultKind{Deaf, CutOff} {
		p.Faults = append(p.Faults, Fault{
			Kind: kind, At: 3 * p.Timing.ArbiterLease, Lasts: p.Length, Who: TheLeader,
		})
	}
}

// planSevered takes a healthy group's leader its peers, and leaves it the store.
func (p *Plan) planSevered(rng *rand.Rand) {
	t := &p.Timing
	p.Length, p.Calms = 7*t.ArbiterLease, 3*t.ArbiterLease
	p.Faults = []Fault{{
		Kind: []FaultKind{Partition, OneWay, Deaf}[rng.IntN(3)], At: 4*t.ArbiterLease + between(rng, 0, t.Interval),
		Lasts: p.Length, Who: TheLeader,
	}}
	// What a renewal may take (design 3.3).
	p.Store.Latency[1] = min(p.Store.Latency[1], t.HeartbeatLease-t.Margin-t.Interval*4/3-t.Schedule)
}

// planBurst lets one fault strike a healthy group.
func (p *Plan) planBurst(rng *rand.Rand) {
	lease := p.Timing.HeartbeatLease
	p.Length = 6*p.Timing.ArbiterLease + 40*lease
	f := p.drawFault(rng, allKinds())
	for f.Kind == Remove { // two restarts
		f = p.drawFault(rng, allKinds())
	}
	f.At = 3*p.Timing.ArbiterLease + between(rng, 0, 4*lease)
	p.Faults = []Fault{f}
}

// planMixture draws some kinds of faults of all, and some of each. It returns when
// the last one strikes.
func (p *Plan) planMixture(rng *rand.Rand) Time {
	lease := p.Timing.HeartbeatLease
	kinds := someKinds(rng)
	n := 4 + rng.IntN(36)
	gap := between(rng, lease/2, 20*lease)
	at := 2 * lease
	for range n {
		f := p.drawFault(rng, kinds)
		f.At = at
		p.Faults = append(p.Faults, f)
		at += between(rng, 0, 2*gap)
	}
	if rng.IntN(12) == 0 {
		p.Faults = append(p.Faults, Fault{Kind: Rollback, At: between(rng, lease, at), Lasts: 1})
	}
	p.Length = at + 4*lease
	return at
}

// planRecovery ends all faults, and leaves time to recover.
func (p *Plan) planRecovery(at Time) {
	p.Settles = at
	p.Leads = at + p.recoverBound()
	p.Calms = p.Leads + p.replacing()
	p.Length = p.Calms + p.quiet()
}

// planOrphans lets every machine lose its disk, one after the other, until no
// elector is left, and an operator admit one of them.
func (p *Plan) planOrphans(rng *rand.Rand) {
	at := 3 * p.Timing.ArbiterLease
	for i := range p.Nodes {
		at += between(rng, 0, 2*p.Timing.HeartbeatLease)
		p.Faults = append(p.Faults, Fault{Kind: LoseDisk, At: at, Lasts: between(rng, 1, p.Timing.HeartbeatLease), Who: i})
	}
	at += between(rng, p.Timing.HeartbeatLease, p.Timing.ArbiterLease)
	p.Faults = append(p.Faults, Fault{Kind: Admit, At: at, Lasts: 1, Who: rng.IntN(len(p.Nodes))})
	p.Length = at + p.recoverBound()
}

// stormy are the faults that cost a leader its leadership.
var stormy = []FaultKind{
	CrashMachine, CrashMachine, CrashProcess, PauseProcess, PauseMachine, Partition, StepDown, HandOver, Sick, Shutdown,
}

// planStorm takes one leader down after the other, while other faults go on.
func (p *Plan) planStorm(rng *rand.Rand) {
	lease := p.Timing.HeartbeatLease
	kinds := allKinds()
	at := 2 * lease
	for range 40 + rng.IntN(60) {
		f := Fault{Kind: stormy[rng.IntN(len(stormy))], At: at, Lasts: between(rng, lease/4, 2*lease), Who: TheLeader, Amount: rng.IntN(1000)}
		if rng.IntN(5) == 0 {
			f = p.drawFault(rng, kinds)
			f.At = at
		}
		p.Faults = append(p.Faults, f)
		at += between(rng, lease, 4*lease)
	}
	p.Length = at + 4*lease
}

// someKinds returns half of all kinds, more or less; all instead of none.
func someKinds(rng *rand.Rand) []int {
	var kinds []int
	for i := range weights {
		if rng.IntN(2) == 0 {
			kinds = append(kinds, i)
		}
	}
	if len(kinds) == 0 {
		return allKinds()
	}
	return kinds
}

func allKinds() []int {
	all := make([]int, len(weights))
	for i := range all {
		all[i] = i
	}
	return all
}

func (p *Plan) drawFault(rng *rand.Rand, kinds []int) Fault {
	sum := 0
	for _, k := range kinds {
		sum += weights[k].weight
	}
	pick := rng.IntN(sum)
	i := 0
	for pick >= weights[kinds[i]].weight {
		pick -= weights[kinds[i]].weight
		i++
	}
	w := weights[kinds[i]]
	f := Fault{
		Kind: w.kind, Lasts: between(rng, 1, w.lasts*p.Timing.HeartbeatLease),
		Moment: moments[rng.IntN(len(moments))], Amount: rng.IntN(1000),
		Who: []int{TheLeader, TheLeader, AFollower, TheMomentum, rng.IntN(len(p.Nodes))}[rng.IntN(5)],
	}
	if f.Kind == Partition && f.Amount%4 == 0 {
		f.Kind = Flap
	}
	if f.Moment != AnyTime {
		f.After = between(rng, 0, 100*Millisecond) - 50*Millisecond
		if f.Moment != GuardEnds && f.Moment != PromiseEnds {
			f.After = max(0, f.After)
		}
	}
	return f
}
