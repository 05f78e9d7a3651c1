package core

import "time"

// MaxPeers bounds the configured peers of a node.
const MaxPeers = MaxElectors - 1

// Config is what one node knows before its first step. It does not change
// during a session, except that a reload may replace timings and addresses;
// leases then take effect once a write that carries them is known applied.
type Config struct {
	Election string
	Node     string
	Identity string // random, made on first start, kept in the data directory
	Session  string // random, new at every process start

	// Previous is the session this data directory recorded immediately before
	// this one, if the directory's lock proves it dead and the fence hook has
	// run; else empty. Such a node takes its own record back at once (design 3.5).
	Previous string

	Peers     []string // node ids, at most MaxPeers, without this node
	Addresses Addresses
	Software  string

	ArbiterLease      time.Duration
	HeartbeatInterval time.Duration
	HeartbeatLease    time.Duration
	FenceMargin       time.Duration
	ArbiterTimeout    time.Duration // of one call to the arbiter
}

// AckTimeout is how long a heartbeat may go unacknowledged before its elector
// counts as silent (design 3.3).
func (c *Config) AckTimeout() time.Duration { return c.HeartbeatInterval / 3 }

// self is this node as an elector.
func (c *Config) self() Elector { return Elector{c.Node, c.Identity} }

// peer returns the index of a configured peer, or -1.
func (c *Config) peer(node string) int {
	for i, p := range c.Peers {
		if p == node {
			return i
		}
	}
	return -1
}

// poll is how often a node that no heartbeat reaches reads the record, and how
// often a holder without other electors renews.
func poll(lease time.Duration) time.Duration { return lease / 3 }

// backoff is the pause after the nth failure in a row of the arbiter.
func (c *Config) backoff(failures int) time.Duration {
	pause := c.HeartbeatInterval / 4
	for range min(failures, 16) - 1 {
		pause *= 2
	}
	return max(1, min(pause, poll(c.ArbiterLease)))
}

// stagger is the step by which challengers of lower rank hold back.
func (c *Config) stagger() time.Duration { return c.HeartbeatInterval / 4 }
