package core

import "time"

// authority returns the instant until which this session may count itself
// holder (design 3.3): bought from the arbiter, or promised by all electors.
func (s *State) authority(c *Config) Instant {
	return max(s.Lead.ArbiterUntil, s.beatsUntil(c))
}

// beatsUntil returns how far the electors' promises carry: the earliest of them
// all, over the electors of the record and of a write that may yet be applied;
// zero if either names nobody else. Until a changed lease is known applied, the
// shorter of the two counts.
func (s *State) beatsUntil(c *Config) Instant {
	if s.Lead.BeatsVoid {
		return 0
	}
	until := s.promisedBy(c, &s.View.Record.Electors, s.heartbeatLease())
	if s.Write.Open {
		until = min(until, s.promisedBy(c, &s.Write.Proposal.Electors, s.heartbeatLease()))
	}
	return until
}

// heartbeatLease returns the lease that a promise may be counted for.
func (s *State) heartbeatLease() time.Duration {
	if s.Write.Open {
		return min(s.View.Record.HeartbeatLease, s.Write.Proposal.HeartbeatLease)
	}
	return s.View.Record.HeartbeatLease
}

// promisedBy returns the earliest end of the promises of all electors but this
// node; zero if one has not promised, or if there is none.
func (s *State) promisedBy(c *Config, electors *Roster, lease time.Duration) Instant {
	until := Never
	for i := range electors.Len {
		e := electors.List[i]
		if e == c.self() {
			continue
		}
		p := c.peer(e.Node)
		if p < 0 || s.Peers[p].Identity != e.Identity || s.Peers[p].Sent == 0 {
			return 0
		}
		until = min(until, s.Peers[p].Sent.Add(min(lease, s.Peers[p].Lease)))
	}
	if until == Never {
		return 0
	}
	return until
}

// mayAct reports whether the authority, less the margin, is not over yet.
func (t *turn) mayAct() bool {
	return t.now < t.authority(t.c).Add(-t.c.FenceMargin)
}

// A waiver gives up the arbiter's authority while heartbeats carry it, so that
// a failover need not wait for the long lease. It is due as soon as every
// elector acknowledges in time again.
func (t *turn) waiveAt() Instant {
	if t.Phase != Promoting && t.Phase != Leading {
		return Never
	}
	if t.Lead.ArbiterUntil == 0 || t.Write.Open || t.Lead.RenewWanted || !t.allReachable() {
		return Never
	}
	if t.Lead.RosterAt <= t.now {
		return Never // a write that needs it may follow
	}
	if t.now >= t.beatsUntil(t.c).Add(-t.c.FenceMargin) {
		return Never
	}
	return t.now
}

// waive drops the arbiter's authority and tells the electors without delay.
func (t *turn) waive() {
	t.Lead.ArbiterUntil = 0
	t.Lead.RoundAt = t.now
}

// allReachable reports whether there are other electors and each acknowledged
// the newest round in time.
func (t *turn) allReachable() bool {
	others := 0
	for i := range t.View.Record.Electors.Len {
		e := t.View.Record.Electors.List[i]
		if e == t.c.self() {
			continue
		}
		p := t.c.peer(e.Node)
		if p < 0 || !t.Peers[p].Reachable || t.Peers[p].Identity != e.Identity {
			return false
		}
		others++
	}
	return others > 0
}
