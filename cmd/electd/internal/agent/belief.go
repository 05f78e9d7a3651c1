package agent

import (
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// believed is the node that leads as far as this one can tell. A leader names
// itself only while its guard is open; a follower names the holder only until
// the holder's lease is over as far as it knows, and never its own former self.
func believed(s node.Status) string {
	switch {
	case s.Leading:
		return s.Node
	case s.Phase == core.Following && s.FreeIn > 0 && s.Leader != s.Node:
		return s.Leader
	}
	return ""
}

// validFor is how long the believed leader is certain to be the only one that
// can lead, unless it gives up by itself. A leader knows from its authority; a
// follower only where its own promise is the only one that matters. What the
// arbiter bought the leader a waiver may give up, so nobody else can rely on it.
func validFor(s node.Status, c core.Config) time.Duration {
	switch {
	case s.Leading:
		return min(s.ActFor, lasting(s, c))
	case believed(s) != "" && onlyOther(s):
		return s.Promised
	}
	return 0
}

// onlyOther reports whether this node is the only elector besides the leader, by
// the newest record there is.
func onlyOther(s node.Status) bool {
	newest := s.Record.Position() == core.Position{Epoch: s.Epoch, Revision: s.Revision}
	return newest && s.Record.Electors.Len == 2 && !s.Stranger
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
