package explore

import (
	"fmt"

	"github.com/electd/electd/core"
)

const (
	maxNodes    = 3
	maxRequests = 8
	maxMessages = 16
)

// world is one state of a small election: everything that can still make a
// difference. It is copied for every choice, the used parts only.
type world struct {
	now    core.Instant
	draws  uint64
	left   Budget
	store  store
	judged judged
	broken *Failure

	requests int
	messages int
	inStore  [maxRequests]request
	inNet    [maxMessages]message
	nodes    [maxNodes]node
}

// node is one machine and, while it is up, its process.
type node struct {
	up       bool
	life     uint8
	disks    uint8 // lost so far
	known    bool  // the disk has a floor
	floor    core.Epoch
	previous string // session, newest on the disk
	config   *core.Config
	state    core.State

	// The service of a dead process, and one that is being stopped, acts until it
	// is over, or the watchdog ends it.
	actsUntil core.Instant
	actsEpoch core.Epoch
	acted     bool      // the service has acted since it was promoted
	stopping  core.OpID // the fence under way, with slow stops
	saving    core.OpID // the save under way, with slow saves
	saves     core.Epoch

	bought core.Instant // end of the authority that its applied writes bought
}

// store is the register.
type store struct {
	present bool
	version core.Version
	record  core.Record
	written core.Instant

	olderPresent bool
	olderVersion core.Version
	olderRecord  core.Record
}

// request is a call to the store that is not over.
type request struct {
	node     uint8
	life     uint8
	write    bool
	orphan   bool // nobody waits for the answer, but it may land
	looked   bool // a read that has seen what it will answer
	op       core.OpID
	intent   core.Intent
	sent     core.Instant
	expected core.Version
	found    core.Found
	version  core.Version
	age      int64
	record   core.Record
}

// message is on its way to a session.
type message struct {
	to   uint8
	life uint8
	from uint8
	sent core.Instant
	core.Message
}

// Failure is an invariant that did not hold.
type Failure struct {
	Invariant string
	Text      string
}

func (f *Failure) Error() string { return f.Invariant + ": " + f.Text }

// copyTo copies a world of g's size.
func (w *world) copyTo(g *Grid, to *world) {
	to.now, to.draws, to.left, to.store, to.judged, to.broken = w.now, w.draws, w.left, w.store, w.judged, w.broken
	to.requests, to.messages = w.requests, w.messages
	copy(to.inStore[:w.requests], w.inStore[:w.requests])
	copy(to.inNet[:w.messages], w.inNet[:w.messages])
	copy(to.nodes[:g.Nodes], w.nodes[:g.Nodes])
}

func (w *world) fail(invariant, format string, args ...any) {
	if w.broken == nil {
		w.broken = &Failure{invariant, fmt.Sprintf(format, args...)}
	}
}

// begin returns a grid's first state.
func (g *Grid) begin(x *explorer) (*world, *Failure) {
	w := &world{now: 100 * Tick, left: g.Budget}
	m := mover{explorer: x, world: w}
	found := g.Empty
	m.guarded(func() {
		for i := range g.Nodes - g.Joining {
			m.start(i)
		}
		for i := 0; i < 40 && !found; i++ {
			m.calm()
			if found = m.healthy(); !found {
				m.tick()
			}
		}
		for i := g.Nodes - g.Joining; i < g.Nodes; i++ {
			m.start(i)
		}
	})
	if w.broken == nil && !found {
		m.fail("begin", "the group does not come to a healthy leader")
	}
	return w, w.broken
}

// healthy reports whether heartbeats carry a leader, and nothing is under way.
func (m *mover) healthy() bool {
	n := m.leader()
	return n >= 0 && m.nodes[n].state.Lead.ArbiterUntil == 0 && m.requests == 0 && m.messages == 0
}

// calm answers and delivers everything at once, as in a healthy group.
func (m *mover) calm() {
	for range 100 {
		switch {
		case m.requests > 0:
			m.answer(0)
		case m.messages > 0:
			m.deliver(0)
		case m.saveAny():
		default:
			return
		}
	}
}

// saveAny completes one save that is under way, if there is one.
func (m *mover) saveAny() bool {
	for i := range m.grid.Nodes {
		if m.nodes[i].saving != 0 {
			m.save(i)
			return true
		}
	}
	return false
}

func (w *world) leader() int {
	for i := range w.nodes {
		if w.nodes[i].up && w.nodes[i].state.Phase == core.Leading {
			return i
		}
	}
	return -1
}
