package bully

import (
	"time"

	"github.com/hashicorp/memberlist"
)

// profile is one set of timings.
type profile struct {
	gossip   func() *memberlist.Config
	turn     time.Duration // a lower-ranked node's wait for each higher-ranked one that is alive
	pause    time.Duration // least wait before a ballot that was outbid is tried again
	patience time.Duration // a connection on which nothing came back for so long is dialled anew
	status   time.Duration // between two questions for the other voters' status
	ballots  time.Duration // what a take needs, contention and disks included
}

var profiles = map[string]profile{
	"lan":   {memberlist.DefaultLANConfig, 200 * time.Millisecond, 8 * time.Millisecond, time.Second, time.Second, 300 * time.Millisecond},
	"wan":   {memberlist.DefaultWANConfig, time.Second, 80 * time.Millisecond, 3 * time.Second, 3 * time.Second, 2 * time.Second},
	"local": {memberlist.DefaultLocalConfig, 100 * time.Millisecond, 5 * time.Millisecond, 500 * time.Millisecond, 500 * time.Millisecond, 300 * time.Millisecond},
	"fast":  {fastGossip, 100 * time.Millisecond, 5 * time.Millisecond, 300 * time.Millisecond, 300 * time.Millisecond, 300 * time.Millisecond},
}

// fastGossip notices a death within about a second on a LAN.
func fastGossip() *memberlist.Config {
	c := memberlist.DefaultLANConfig()
	c.TCPTimeout = time.Second
	c.ProbeInterval = 200 * time.Millisecond
	c.ProbeTimeout = 100 * time.Millisecond
	c.SuspicionMult = 3
	c.GossipInterval = 50 * time.Millisecond
	c.PushPullInterval = 15 * time.Second
	return c
}

// How often all configured peers are joined again: memberlist does not find
// together again by itself what was apart for long.
const (
	rejoinLeast = 10 * time.Second
	rejoinMost  = 30 * time.Second
)

// The timings of bully elections that the daemon uses by default (design 6): the
// arbiter lease is renewed every third of it.
const (
	DefaultArbiterLease = 3 * time.Second
	FastArbiterLease    = time.Second
)

// FailoverBound is how long after a leader's crash, at most, the next one has
// been elected while a majority of voters reach each other: the arbiter lease,
// the turns of all higher-ranked voters that are up and do not stand, and the
// ballots.
func (c Config) FailoverBound(arbiterLease time.Duration) time.Duration {
	p := profiles[c.withDefaults().Profile]
	return arbiterLease + time.Duration(max(len(c.Voters)-1, 0))*p.turn + p.ballots
}
