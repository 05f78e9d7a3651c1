package explore

import (
	"fmt"
	"time"

	"github.com/electd/electd/core"
)

// ask puts a request on its way to the store.
func (m *mover) ask(i int, a *core.Action) {
	n := &m.nodes[i]
	m.dropForgotten(i)
	if m.requests == maxRequests {
		m.dropRequest(m.oldestOrphan())
	}
	k := m.requests
	r := &m.inStore[k]
	m.requests++
	*r = request{
		node: uint8(i), life: n.life, write: a.Kind == core.DoWrite, op: a.Op, intent: a.Intent,
		sent: m.now, expected: a.Expected,
	}
	if r.write {
		r.record = *a.Record
		if m.grid.Epochs > 0 && a.Record.Epoch > m.grid.Epochs {
			m.beyond = true
		}
		return
	}
	if !m.grid.SlowReads && m.left.Failed == 0 {
		m.answer(k)
	}
}

// dropForgotten drops reads that the core awaits no longer.
func (m *mover) dropForgotten(i int) {
	for k := 0; k < m.requests; k++ {
		r := &m.inStore[k]
		if int(r.node) == i && !r.write && r.op != m.nodes[i].state.Read.Op {
			m.dropRequest(k)
			k--
		}
	}
}

func (m *mover) oldestOrphan() int {
	for k := range m.requests {
		if m.inStore[k].orphan {
			return k
		}
	}
	return 0
}

// look lets a read see what is stored.
func (m *mover) look(k int) {
	r, s := &m.inStore[k], &m.store
	if r.sees(s.present, s.version, &s.record) && m.grid.Ages {
		r.age = int64(m.now.Sub(s.written))
	}
}

// sees notes what a read will answer, and reports whether that is a record.
func (r *request) sees(present bool, version core.Version, record *core.Record) bool {
	r.looked = true
	if !present {
		r.found, r.version, r.record = core.FoundAbsent, "", core.Record{}
		return false
	}
	r.found, r.version, r.record = core.FoundRecord, version, *record
	return true
}

// lookEarly lets a read see it now and be answered later.
func (m *mover) lookEarly(k int) {
	m.left.Split--
	m.look(k)
}

// lookTorn lets a read see new bytes under an older version.
func (m *mover) lookTorn(k int) {
	m.left.Torn--
	m.look(k)
	if m.store.present {
		m.inStore[k].version = m.store.olderVersion
	}
}

// lookStale lets a read see what was there before.
func (m *mover) lookStale(k int) {
	m.left.Stale--
	s := &m.store
	m.inStore[k].sees(s.olderPresent, s.olderVersion, &s.olderRecord)
}

// land lets a write take effect if its version still stands.
func (m *mover) land(r *request) bool {
	s := &m.store
	if r.expected != s.version {
		return false
	}
	was := *s
	s.olderPresent, s.olderVersion, s.olderRecord = s.present, s.version, s.record
	m.draws++
	s.present, s.record, s.written = true, r.record, m.now
	s.version = m.versions.get(m.draws)
	m.judgeStored(r, &was)
	return true
}

// answer tells the truth about a request, having carried it out.
func (m *mover) answer(k int) {
	r := m.inStore[k]
	if !r.write {
		if !r.looked {
			m.look(k)
			r = m.inStore[k]
		}
		m.dropRequest(k)
		m.answerRead(&r)
		return
	}
	m.dropRequest(k)
	if m.land(&r) {
		m.answerWrite(&r, core.Applied)
		return
	}
	m.answerWrite(&r, core.Conflict)
}

func (m *mover) answerRead(r *request) {
	ev := core.Event{
		Kind: core.ReadDone, Op: r.op, Outcome: core.Applied, Found: r.found,
		Version: r.version, Age: time.Duration(r.age),
	}
	if m.judged.erased { // before that, epochs are counted from one
		ev.StoreDate = m.grid.Date
	}
	if r.found == core.FoundRecord {
		ev.Record = &r.record
	}
	m.step(int(r.node), ev)
}

func (m *mover) answerWrite(r *request, o core.Outcome) {
	if n := &m.nodes[r.node]; r.orphan || !n.up || n.life != r.life {
		return
	}
	ev := core.Event{Kind: core.WriteDone, Op: r.op, Outcome: o}
	if o == core.Applied {
		ev.Version = m.store.version
	}
	m.step(int(r.node), ev)
}

// leave answers "unknown" and leaves the write to land at any time.
func (m *mover) leave(k int) {
	m.left.Unknown--
	m.inStore[k].orphan = true
	r := m.inStore[k]
	r.orphan = false
	m.answerWrite(&r, core.Unknown)
}

// landLate lets a write take effect that nobody waits for.
func (m *mover) landLate(k int) {
	r := m.inStore[k]
	m.dropRequest(k)
	m.land(&r)
}

// applyAndDeny answers that a write conflicts, though it was applied.
func (m *mover) applyAndDeny(k int) {
	m.left.Conflicts--
	r := m.inStore[k]
	m.dropRequest(k)
	m.land(&r)
	m.answerWrite(&r, core.Conflict)
}

// deny answers that a write conflicts, though it would not have.
func (m *mover) deny(k int) {
	m.left.Conflicts--
	r := m.inStore[k]
	m.dropRequest(k)
	m.answerWrite(&r, core.Conflict)
}

// failRequest answers that a request certainly did not happen.
func (m *mover) failRequest(k int) {
	m.left.Failed--
	r := m.inStore[k]
	m.dropRequest(k)
	if r.write {
		m.answerWrite(&r, core.Unavailable)
		return
	}
	m.step(int(r.node), core.Event{Kind: core.ReadDone, Op: r.op, Outcome: core.Unavailable})
}

// timedOut reports whether a request must be over by now.
func (m *mover) timedOut(r *request) bool {
	return !r.orphan && m.now >= r.sent.Add(ticks(m.grid.ArbiterTimeout))
}

// names makes versions out of numbers, once each.
type names struct{ made []core.Version }

func (n *names) get(i uint64) core.Version {
	for uint64(len(n.made)) <= i {
		n.made = append(n.made, core.Version(fmt.Sprintf("v%d", len(n.made))))
	}
	return n.made[i]
}

// configs keeps one Config for every session that was ever seen.
type configs struct{ made map[[3]string]*core.Config }

func (c *configs) get(g *Grid, node int, session, identity, previous string) *core.Config {
	key := [3]string{session, identity, previous}
	if found := c.made[key]; found != nil {
		return found
	}
	made := g.config(node, session, identity, previous)
	c.made[key] = made
	return made
}
