package explore

import (
	"time"

	"github.com/electd/electd/core"
)

// Tick is one heartbeat interval, in nanoseconds of every node's clock. It
// divides by what the core divides intervals by.
const Tick = 12

// Grid bounds one search.
type Grid struct {
	Name  string
	About string // one sentence: what it looks for

	Nodes          int
	Joining        int // how many of them start without being electors
	HeartbeatLease int // ticks
	ArbiterLease   int
	ArbiterTimeout int
	Empty          bool  // begins with no record instead of with a led group
	Ages           bool  // the store says how old a record is
	Date           int64 // the store's date, above every epoch so far; 0: it gives none
	Hellos         bool  // Hello takes its time like any message; else it arrives at once
	SlowStops      bool  // services act on until they are over, at most until the authority ends
	SlowSaves      bool  // floors take their time to get on disk
	Blank          bool  // stale reads may show the store from before there was a record
	SlowReads      bool  // reads take their time; else they are answered at once, or fail if the budget says so

	Depth    int        // longest trace; 0: any
	States   int        // bound of the search, so that all grids together take minutes; 0: none
	Long     int        // bound of the long search
	Epochs   core.Epoch // highest epoch followed; 0: any
	InFlight int        // messages of one kind between two nodes; older ones are lost
	Delay    int        // ticks that a message may take; what takes longer is lost

	Budget Budget
}

// Budget says how often each thing may happen in one trace.
type Budget struct {
	Restarts  [maxNodes]int8 // of each node, as a whole machine
	Process   int8           // restarts of which the service outlives the process
	LostDisks int8
	Late      int8 // timers that fire a tick late: a paused process
	Duplicate int8 // messages that arrive again
	Unknown   int8 // writes that are answered "unknown", and may land at any time
	Failed    int8 // requests that certainly did not happen
	Conflicts int8 // writes answered "conflict" wrongly, applied or not
	Split     int8 // reads that are answered later than they look
	Torn      int8
	Stale     int8
	Deleted   int8
	StepDowns int8
	Sick      int8
	Admitted  int8
}

// deletes reports whether there may be no record.
func (g *Grid) deletes() bool { return g.Empty || g.Blank || g.Budget.Deleted > 0 }

// replaces reports whether electors may be replaced by other machines: only then it
// matters since when they have been silent.
func (g *Grid) replaces() bool { return g.Budget.LostDisks > 0 }

// changes reports whether electors may be added or removed.
func (g *Grid) changes() bool { return g.Joining > 0 || g.replaces() || g.deletes() }

// config returns the configuration of one session.
func (g *Grid) config(node int, session, identity, previous string) *core.Config {
	c := &core.Config{
		Election: "e", Node: nodeName(node), Identity: identity, Session: session, Previous: previous,
		ArbiterLease:      ticks(g.ArbiterLease),
		HeartbeatInterval: ticks(1),
		HeartbeatLease:    ticks(g.HeartbeatLease),
		ArbiterTimeout:    ticks(g.ArbiterTimeout),
	}
	for other := range g.Nodes {
		if other != node {
			c.Peers = append(c.Peers, nodeName(other))
		}
	}
	return c
}

func nodeName(i int) string { return string(rune('a' + i)) }

func ticks(n int) time.Duration { return time.Duration(n) * Tick }
