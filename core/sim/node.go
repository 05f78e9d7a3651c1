package sim

import (
	"fmt"

	"github.com/electd/electd/core"
)

// node is one machine: its disk, its clock, its network card, and, while it is
// up, the process that runs core.Step as the driver does.
type node struct {
	index    int
	config   core.Config
	state    core.State
	clock    clock
	wallStep Time // how far off its wall clock is
	disk     disk
	twin     bool // it bears the id of an older machine
	twinned  bool // another machine bears its id
	stand    core.Standing
	peers    []string // all that there are
	without  string   // which of them its configuration does not list

	up          bool
	life        uint32 // counts sessions
	timer       Time   // when Step wants to be called
	pausedUntil Time
	frozen      bool // the pause holds the whole machine
	told        bool // this session has heard somebody, or read a record
	blind       bool // its last take was one that the design does not cover
	backlog     []happening
	out         []core.Action
	conns       []conn
	service     service
	saving      core.Epoch // the floor on its way to the disk
	busy        business
	past        past
	sessions    []string // of every life
}

// disk is a node's data directory.
type disk struct {
	identity string
	sessions []string
	floor    core.Epoch
	known    bool
	vowed    core.Epoch // the highest epoch that it promised anything at: not kept, but never to be forgotten
}

func (w *World) newNode(i int) *node {
	p := &w.plan.Nodes[i]
	n := &node{
		index: i, config: w.plan.config(i),
		clock: clock{start: core.Instant(1 + w.rng.Int64N(int64(Second))), ppm: p.PPM},
		stand: core.Standing{Healthy: true, Priority: p.Priority},
		timer: never,
	}
	n.disk.identity = p.Machine
	n.peers = n.config.Peers
	return n
}

// start begins a session. Its predecessor is named to Step only if the lock
// proves it dead, the service included.
func (w *World) start(n *node) {
	if n.up {
		return
	}
	n.up = true
	n.life++
	n.config.Session = fmt.Sprintf("%s%d.%d", n.config.Node, n.index, n.life)
	n.sessions = append(n.sessions, n.config.Session)
	n.config.Identity = n.disk.identity
	n.config.Previous = ""
	if k := len(n.disk.sessions); k > 0 && !n.service.running(w.now) {
		n.config.Previous = n.disk.sessions[k-1]
	}
	if !n.service.running(w.now) {
		n.service = service{}
	}
	n.disk.sessions = append(n.disk.sessions, n.config.Session)
	n.config.Peers = without(n.peers, n.without)
	n.conns = make([]conn, len(n.config.Peers))
	n.state = core.New(n.clock.at(w.now), n.stand, n.disk.floor, n.disk.known, w.rng.Uint64())
	n.timer, n.pausedUntil, n.frozen = w.now, 0, false
	n.told, n.blind = false, false
	n.backlog = n.backlog[:0]
	w.say("%s starts, previous %q, floor %d", n.config.Session, n.config.Previous, n.disk.floor)
	for p := range n.conns {
		w.queue.push(happening{at: w.now, kind: dials, node: uint8(n.index), peer: uint8(p), life: n.life})
	}
}

// without returns the list without a name, which may be the empty one.
func without(list []string, name string) []string {
	if indexOf(list, name) < 0 {
		return list
	}
	var rest []string
	for _, x := range list {
		if x != name {
			rest = append(rest, x)
		}
	}
	return rest
}

// killProcess ends a session. Its service lives on until the watchdog kills it, and
// its kernel tells the peers.
func (w *World) killProcess(n *node) {
	if n.up {
		w.endSession(n)
		w.hangUp(n, w.plan.Network.Latency[0])
	}
}

// killMachine ends a session with its service. Peers find out when their keepalive
// runs out.
func (w *World) killMachine(n *node) {
	if n.up {
		w.endSession(n)
		n.service = service{}
		w.hangUp(n, w.keepalive())
	}
}

func (w *World) endSession(n *node) {
	w.say("%s dies", n.config.Session)
	n.up, n.timer = false, never
	for i := range n.backlog {
		w.discard(&n.backlog[i])
	}
	n.backlog = n.backlog[:0]
}

// pauseProcess holds a process for a while.
func (w *World) pauseProcess(n *node, lasts Time) {
	if !n.up {
		return
	}
	n.pausedUntil = max(n.pausedUntil, w.now+lasts)
	n.timer = max(n.timer, n.pausedUntil+w.within(0, 1)) // before what has piled up, or after
	w.queue.push(happening{at: n.pausedUntil, kind: wakes, node: uint8(n.index), life: n.life})
}

// pauseMachine holds a whole machine, its service with it.
func (w *World) pauseMachine(n *node, lasts Time) {
	if n.up {
		n.frozen = true
		w.pauseProcess(n, lasts)
	}
}

// wake lets a process find what has piled up. The clock is not announced: Step
// must look at it by itself before anything else.
func (w *World) wake(n *node) {
	if !n.up || n.pausedUntil > w.now {
		return
	}
	n.frozen = false
	backlog := n.backlog
	n.backlog = nil
	for i := range backlog {
		if w.fault != nil {
			return
		}
		w.happen(&backlog[i])
	}
	if n.backlog == nil {
		n.backlog = backlog[:0]
	}
	if n.up && n.state.Standing != n.stand {
		w.step(n, core.Event{Kind: core.StandingChanged, Standing: n.stand})
	}
}

// step hands one event to the real core and carries out what it answers.
func (w *World) step(n *node, ev core.Event) {
	w.draws++
	ev.Random = [2]uint64{w.plan.Seed, w.draws}
	ev.Wall = w.wall(n) / Millisecond
	now := n.clock.at(w.now)
	before := n.state.Phase
	n.out = core.Step(&n.config, &n.state, now, ev, n.out[:0])
	w.digest = (w.digest ^ uint64(w.now) ^ uint64(ev.Kind)<<48 ^ uint64(len(n.out))<<56 ^ uint64(n.state.Phase)<<40) * 0x100000001b3
	if w.trace != nil {
		w.traceStep(n, &ev)
	}
	n.timer = max(n.clock.when(n.state.Next), n.pausedUntil)
	if n.timer < never {
		n.timer += w.lateness()
	}
	w.follow(n, before, &ev)
	for i := range n.out {
		w.perform(n, &n.out[i])
	}
	w.judgeStep(n, &ev)
}

// wall is what a node's wall clock shows, in Unix nanoseconds.
func (w *World) wall(n *node) Time { return storeEpoch*Second + w.now + n.wallStep }

// lateness is how late the process gets the processor: hardly at all, as a rule.
func (w *World) lateness() Time {
	r := w.rng.Uint64()
	if r&63 != 0 {
		return Time(r>>6) & 0x3fff // up to 16 µs
	}
	return w.within(0, w.plan.Timing.Schedule/2)
}

// perform carries out one action.
func (w *World) perform(n *node, a *core.Action) {
	switch a.Kind {
	case core.DoRead, core.DoWrite:
		w.request(n, a)
	case core.DoSend:
		w.send(n, a.Peer, &a.Message)
	case core.DoSave:
		w.save(n, a)
	case core.DoPromote:
		w.promote(n, a)
	case core.DoFence:
		w.stop(n, a)
	case core.DoTell:
		w.told(n, a)
	case core.Transition:
		w.transition(n, a)
	case core.DoAnswer, core.DoDemote, core.DoFollow:
	}
}

// save puts the floor on disk, or fails to.
func (w *World) save(n *node, a *core.Action) {
	ok := uint8(1)
	if w.striking(SaveFails, n) {
		ok = 0
	}
	w.queue.push(happening{
		at: w.now + w.within(100*Microsecond, 2*Millisecond), kind: saved,
		node: uint8(n.index), life: n.life, peer: ok, ref: int32(a.Op),
	})
	if ok == 1 && w.chance(500) { // the disk has it before the process knows
		n.disk.floor, n.disk.known = max(n.disk.floor, a.Epoch), true
	}
	n.saving = a.Epoch
}
