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

// crash ends a session. Its writes may land yet; what was on its way to it is lost.
func (m *mover) crash(i int, machine, disk bool) {
	n := &m.nodes[i]
	if !machine {
		if epoch, until := n.state.Guard(n.config); epoch != 0 {
			n.actsUntil, n.actsEpoch = until, epoch
		}
	}
	if machine {
		n.actsUntil = 0
	}
	n.up, n.acted, n.stopping, n.saving = false, false, 0, 0
	n.state = core.State{}
	if !disk {
		n.disks++
		n.known, n.floor, n.previous = false, 0, ""
	}
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

// tick lets time go by and every node look at its clock; late does not.
func (m *mover) tick(late int) {
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

// deliver hands a message over; again leaves it on its way too.
func (m *mover) deliver(k int, again bool) {
	x := m.inNet[k]
	if !again {
		m.dropMessage(k)
	}
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
