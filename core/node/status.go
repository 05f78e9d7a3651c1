package node

import (
	"time"

	"github.com/electd/electd/core"
)

// Status is a consistent view of one election, as of now.
type Status struct {
	Election, Node, Session string
	Phase                   core.Phase
	Because                 core.Reason // of the last transition
	Trouble                 core.Reason // the gravest of what a person should look at
	Why                     string      // the present situation in one sentence
	Standing                core.Standing

	Epoch    core.Epoch // highest position known
	Revision core.Revision
	Floor    core.Epoch
	Leader   string        // node id of the holder; empty if none is known
	Record   core.Record   // the newest record known whole
	Leading  bool          // the guard is open
	ActFor   time.Duration // how much longer it is, if nothing comes
	Left     time.Duration // authority left: ActFor and the margin
	Arbiter  time.Duration // of it, what the arbiter bought
	FreeIn   time.Duration // on a follower: until it may challenge, if nothing comes
	Promised time.Duration // of it, what its own promise holds whatever comes but a release
	Stranger bool          // not among the electors
	Peers    []PeerStatus  // in the order of the configuration
	Calls    Calls         // to the arbiter so far
	Broken   error         // an invariant failed
}

// PeerStatus is what this node knows of one peer.
type PeerStatus struct {
	Node         string
	Connected    bool
	Elector      bool
	Acknowledges bool // the last round of heartbeats, in time
	Eligible     bool
	Paused       bool
	Priority     int
	API          string
	Software     string
}

// Calls counts calls to the arbiter.
type Calls struct {
	Reads, Writes, Failures uint64
	Last                    Call // the last one that failed
}

func (n *Node) count(c Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.Intent == 0 {
		n.calls.Reads++
	} else {
		n.calls.Writes++
	}
	if c.Outcome != core.Applied {
		n.calls.Failures++
		n.calls.Last = c
	}
}

func (n *Node) holder() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state.View.Holder
}

// Status returns how the election stands. Whether this node leads is said by
// the guard, that is by the clock, and not by what the last step left behind.
func (n *Node) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock()
	s := &n.state
	out := Status{
		Election: n.config.Election, Node: n.config.Node, Session: n.config.Session,
		Phase: s.Phase, Because: s.Because, Trouble: s.Trouble.Gravest(), Why: core.Explain(&n.config, s, now), Standing: s.Standing,
		Epoch: s.View.Heard.Epoch, Revision: s.View.Heard.Revision, Floor: s.Floor.Epoch,
		Leader: s.View.Holder, Record: s.View.Record, Calls: n.calls, Broken: n.broken,
		Stranger: core.Stranger(&n.config, s),
	}
	if _, err := n.guard.Check(); err == nil {
		_, until := s.Guard(&n.config)
		out.Leading, out.ActFor = true, max(0, until.Sub(now))
	}
	if until := s.Authority(&n.config); until > now {
		out.Left = until.Sub(now)
		out.Arbiter = max(0, s.Lead.ArbiterUntil.Sub(now))
	}
	if s.Phase == core.Following {
		if free := max(s.Vow.Until, s.View.FreeAt); free != core.Never {
			out.FreeIn = max(0, free.Sub(now))
		}
		out.Promised = max(0, s.Vow.Until.Sub(now))
	}
	for i, node := range n.config.Peers {
		p := &s.Peers[i]
		out.Peers = append(out.Peers, PeerStatus{
			Node: node, Connected: p.Connected, Elector: s.View.Record.Electors.Identity(node) != "",
			Acknowledges: p.Reachable, Eligible: p.Hello.Eligible, Paused: p.Hello.Paused,
			Priority: p.Hello.Priority, API: p.Hello.API, Software: p.Hello.Software,
		})
	}
	return out
}
