package mutants

import "github.com/electd/electd/core/sim"

// fallsIll is two nodes whose leader's health check fails from then on.
func fallsIll(others ...sim.Fault) sim.Plan {
	p := story(2, 60*sim.Second, others...)
	p.Faults = append(p.Faults, sim.Fault{Kind: sim.Sick, At: 20 * sim.Second, Lasts: forever, Who: sim.TheLeader})
	p.Mode = sim.Ailing
	return p
}

func illWithAPeer() Scenario {
	return Scenario{
		Name:  "ill-with-a-peer",
		About: "a leader's health check fails, and its peer can lead",
		Plans: several(fallsIll()),
	}
}

func illWithoutPeers() Scenario {
	p := fallsIll()
	p.Apart = true
	return Scenario{
		Name:  "ill-without-peers",
		About: "a leader's health check fails, and nobody is known to it; another one polls",
		Plans: several(p),
	}
}

func illAndNobodyElse() Scenario {
	p := fallsIll(sim.Fault{Kind: sim.PauseNode, At: 10 * sim.Second, Lasts: forever, Who: sim.AFollower})
	p.Mode = sim.Deafness
	return Scenario{
		Name:  "ill-and-nobody-else",
		About: "a leader's health check fails, and its peer is paused: it leads on",
		Plans: several(p),
		Stays: true,
	}
}
