package explore

import (
	"fmt"

	"github.com/electd/electd/core"
)

// mover changes a world by one choice.
type mover struct {
	*explorer
	*world
}

// start begins a session on a node that is down.
func (m *mover) start(i int) {
	n := &m.nodes[i]
	n.life++
	session := fmt.Sprintf("%s%d", nodeName(i), n.life)
	previous := n.previous
	if m.now < n.actsUntil {
		previous = "" // the lock is still held
	}
	n.config = m.configs.get(m.grid, i, session, identity(i, n.disks), previous)
	n.previous = session
	n.up, n.bought = true, 0
	n.state = core.New(m.now, core.Standing{Healthy: true, Priority: 1}, n.floor, n.known, 0)
	m.step(i, core.Event{Kind: core.Ticked})
	for other := range m.grid.Nodes {
		if other != i && m.nodes[other].up {
			m.step(i, core.Event{Kind: core.PeerUp, Peer: nodeName(other)})
			m.step(other, core.Event{Kind: core.PeerDown, Peer: nodeName(i)})
			m.step(other, core.Event{Kind: core.PeerUp, Peer: nodeName(i)})
		}
	}
}

func identity(node int, disks uint8) string { return fmt.Sprintf("%s-%d", nodeName(node), disks) }

// killMachine lets a machine die, and its service with it.
func (m *mover) killMachine(i int) {
	m.left.Restarts[i]--
	m.nodes[i].actsUntil = 0
	m.crash(i)
}

// killDisk lets a machine die, to come back empty.
func (m *mover) killDisk(i int) {
	m.left.LostDisks--
	m.killMachine(i)
	n := &m.nodes[i]
	n.disks++
	n.known, n.floor, n.previous = false, 0, ""
}

// killProcess lets a process die. Its service acts on until the watchdog ends it.
func (m *mover) killProcess(i int) {
	m.left.Process--
	n := &m.nodes[i]
	if epoch, until := n.state.Guard(n.config); epoch != 0 {
		n.actsUntil, n.actsEpoch = until, epoch
	}
	m.crash(i)
}

// crash ends a session. Its writes may land yet; what was on its way to it is lost.
func (m *mover) crash(i int) {
	n := &m.nodes[i]
	n.up, n.acted, n.stopping, n.saving = false, false, 0, 0
	n.state = core.State{}
	for k := 0; k < m.messages; k++ {
		if int(m.inNet[k].to) == i {
			m.dropMessage(k)
			k--
		}
	}
	for k := 0; k < m.requests; k++ {
		r := &m.inStore[k]
		if int(r.node) != i {
			continue
		}
		if r.write {
			r.orphan = true
			continue
		}
		m.dropRequest(k)
		k--
	}
}

// nobody is late for a tick.
const nobody = -1

// tick lets time go by and every node look at its clock.
func (m *mover) tick() { m.pass(nobody) }

// tickLate does so but for one node, whose timer fires late.
func (m *mover) tickLate(i int) {
	m.left.Late--
	m.pass(i)
}

func (m *mover) pass(late int) {
	m.now += Tick
	for k := 0; k < m.messages; k++ {
		if m.now > m.inNet[k].sent.Add(ticks(m.grid.Delay)) {
			m.dropMessage(k)
			k--
		}
	}
	for i := range m.grid.Nodes {
		if n := &m.nodes[i]; n.up && i != late && n.state.Next <= m.now {
			m.step(i, core.Event{Kind: core.Ticked})
		}
	}
}

// step hands an event to the real core, and carries out what it answers. Hooks
// and saves are over at once.
func (m *mover) step(i int, ev core.Event) {
	if m.broken != nil {
		return
	}
	n := &m.nodes[i]
	m.draws++
	ev.Random = [2]uint64{1, m.draws}
	deep := m.deep
	out := core.Step(n.config, &n.state, m.now, ev, m.buffers[deep][:0])
	m.buffers[deep] = out
	m.deep++
	if m.tell != nil {
		m.tellStep(i, &ev, out)
	}
	m.judgeStep(i)
	for k := range out {
		m.perform(i, &out[k])
	}
	m.deep = deep
}

func (m *mover) perform(i int, a *core.Action) {
	switch a.Kind {
	case core.DoRead, core.DoWrite:
		m.ask(i, a)
	case core.DoSend:
		m.send(i, a)
	case core.DoSave:
		m.nodes[i].saving, m.nodes[i].saves = a.Op, a.Epoch
		if !m.grid.SlowSaves {
			m.save(i)
		}
	case core.DoPromote:
		if m.now < m.nodes[i].actsUntil {
			m.fail("I12", "%s promotes while an older service acts", nodeName(i))
		}
		m.nodes[i].acted = false
		m.step(i, core.Event{Kind: core.PromoteDone, Op: a.Op, OK: true})
	case core.DoFence:
		n := &m.nodes[i]
		if m.grid.SlowStops && n.acted && m.now < a.Until {
			n.actsUntil, n.actsEpoch, n.stopping = a.Until, a.Epoch, a.Op
			return
		}
		m.step(i, core.Event{Kind: core.FenceDone, Op: a.Op, OK: true})
	case core.DoDemote, core.DoFollow, core.DoAnswer, core.DoTell, core.Transition:
	}
}

// save puts a floor on disk.
func (m *mover) save(i int) {
	n := &m.nodes[i]
	op := n.saving
	n.saving = 0
	n.known, n.floor = true, max(n.floor, n.saves)
	m.step(i, core.Event{Kind: core.FloorSaved, Op: op, OK: true, Epoch: n.saves})
}

// stop ends a service that is being stopped.
func (m *mover) stop(i int) {
	n := &m.nodes[i]
	op := n.stopping
	n.stopping, n.actsUntil, n.acted = 0, 0, false
	m.step(i, core.Event{Kind: core.FenceDone, Op: op, OK: true})
}

// send puts a message on its way. If too many of its kind are, the oldest is lost.
func (m *mover) send(i int, a *core.Action) {
	to := int(a.Peer[0] - 'a')
	m.judgeSend(i, &a.Message)
	if to >= m.grid.Nodes || !m.nodes[to].up {
		return
	}
	if a.Message.Kind == core.Hello && !m.grid.Hellos {
		greeting := a.Message
		m.step(to, core.Event{Kind: core.HelloReceived, Message: &greeting})
		return
	}
	same, oldest := 0, -1
	for k := range m.messages {
		if x := &m.inNet[k]; int(x.from) == i && int(x.to) == to && x.Kind == a.Message.Kind {
			if oldest < 0 {
				oldest = k
			}
			same++
		}
	}
	if same >= m.grid.InFlight {
		m.dropMessage(oldest)
	}
	if m.messages == maxMessages {
		m.dropMessage(0)
	}
	m.inNet[m.messages] = message{to: uint8(to), life: m.nodes[to].life, from: uint8(i), sent: m.now, Message: a.Message}
	m.messages++
}

// deliver hands a message over.
func (m *mover) deliver(k int) {
	x := m.inNet[k]
	m.dropMessage(k)
	m.receive(&x)
}

// deliverAgain hands a message over and leaves it on its way too.
func (m *mover) deliverAgain(k int) {
	m.left.Duplicate--
	x := m.inNet[k]
	m.receive(&x)
}

func (m *mover) receive(x *message) {
	if n := &m.nodes[x.to]; !n.up || n.life != x.life {
		return
	}
	ev, _ := core.Received(&x.Message)
	m.step(int(x.to), ev)
}

func (m *mover) dropMessage(k int) {
	copy(m.inNet[k:m.messages-1], m.inNet[k+1:m.messages])
	m.messages--
}

func (m *mover) dropRequest(k int) {
	copy(m.inStore[k:m.requests-1], m.inStore[k+1:m.requests])
	m.requests--
}
