package agent

import (
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// believed is the node that leads as far as this one can tell. A leader names
// itself only while its guard is open; a follower names the holder only until
// the holder's lease is over as far as it knows.
func believed(s node.Status) string {
	switch {
	case s.Leading:
		return s.Node
	case s.Phase == core.Following && s.FreeIn > 0:
		return s.Leader
	}
	return ""
}

// validFor is how long the believed leader is certain to be the only one that
// can lead, unless it gives up by itself. A leader knows from its authority; a
// follower only where its own promise is the only one that matters.
func validFor(s node.Status, c core.Config) time.Duration {
	switch {
	case s.Leading:
		return min(s.ActFor, lasting(s, c))
	case s.Phase == core.Following && s.Record.Electors.Len == 2 && !s.Stranger:
		return s.FreeIn
	}
	return 0
}

// lasting bounds what is told of an authority that may be cut short. While the
// arbiter's carries it, a waiver may put the heartbeats' in its place at any
// moment: at least those that every elector acknowledged in the last round, which
// were sent no longer than an interval and the wait for an answer ago.
func lasting(s node.Status, c core.Config) time.Duration {
	lease := s.Record.HeartbeatLease - c.FenceMargin
	if s.Arbiter == 0 || len(c.Peers) == 0 {
		return lease
	}
	return max(0, lease-c.HeartbeatInterval-c.AckTimeout())
}
