package explore

import (
	"fmt"
	"slices"

	"github.com/electd/electd/core"
)

// choice is one thing that can happen next.
type choice struct {
	kind choiceKind
	at   uint8 // node, message or request
}

type choiceKind uint8

const (
	timePasses choiceKind = iota + 1
	timePassesLate
	arrives
	arrivesAgain
	answered
	looks
	looksTorn
	looksStale
	fails
	left
	appliedThenConflict
	conflictOnly
	lands
	dies
	processDies
	diskDies
	comesBack
	deleted
	stepsDown
	stops
	saves
	sickens
	recovers
	admitted
)

// choices appends everything that can happen in a world.
func (m *mover) choices(out []choice) []choice {
	b := &m.left
	add := func(kind choiceKind, at int) { out = append(out, choice{kind, uint8(at)}) }
	waits := false
	for k := range m.requests {
		r := &m.inStore[k]
		if r.orphan {
			if r.expected == m.store.version {
				add(lands, k)
			}
			continue
		}
		waits = waits || m.timedOut(r)
		add(answered, k)
		if !r.write {
			m.readChoices(r, k, add)
			continue
		}
		if b.Unknown > 0 {
			add(left, k)
		}
		if b.Failed > 0 {
			add(fails, k)
		}
		if b.Conflicts > 0 {
			add(conflictOnly, k)
			if r.expected == m.store.version {
				add(appliedThenConflict, k)
			}
		}
	}
	for k := range m.messages {
		add(arrives, k)
		if b.Duplicate > 0 {
			add(arrivesAgain, k)
		}
	}
	for i := range m.grid.Nodes {
		m.nodeChoices(i, add)
		waits = waits || m.nodes[i].stopping != 0 && m.now >= m.nodes[i].actsUntil
	}
	if b.Deleted > 0 && m.store.present {
		add(deleted, 0)
	}
	if !waits {
		add(timePasses, 0)
		if b.Late > 0 {
			for i := range m.grid.Nodes {
				if m.nodes[i].up && m.nodes[i].state.Next <= m.now+Tick {
					add(timePassesLate, i)
				}
			}
		}
	}
	return out
}

func (m *mover) readChoices(r *request, k int, add func(choiceKind, int)) {
	b := &m.left
	if b.Failed > 0 {
		add(fails, k)
	}
	if r.looked {
		return
	}
	if b.Split > 0 {
		add(looks, k)
	}
	if b.Torn > 0 && m.store.olderPresent {
		add(looksTorn, k)
	}
	if b.Stale > 0 && m.store.olderPresent {
		add(looksStale, k)
	}
}

func (m *mover) nodeChoices(i int, add func(choiceKind, int)) {
	n, b := &m.nodes[i], &m.left
	if !n.up {
		if n.life > 0 {
			add(comesBack, i)
		}
		return
	}
	if n.stopping != 0 {
		add(stops, i)
	}
	if n.saving != 0 {
		add(saves, i)
	}
	if b.Restarts[i] > 0 {
		add(dies, i)
		if b.LostDisks > 0 {
			add(diskDies, i)
		}
	}
	if b.Process > 0 && n.state.Phase == core.Leading {
		add(processDies, i)
	}
	if b.StepDowns > 0 && n.state.Phase == core.Leading {
		add(stepsDown, i)
	}
	if b.Sick > 0 && n.state.Standing.Healthy && n.state.Phase.Holds() {
		add(sickens, i)
	}
	if !n.state.Standing.Healthy {
		add(recovers, i)
	}
	if b.Admitted > 0 && !n.state.Phase.Holds() {
		add(admitted, i)
	}
}

// take makes a choice.
func (m *mover) take(c choice) {
	k := int(c.at)
	b := &m.left
	if m.tell != nil {
		m.tell(m.describe(c))
	}
	switch c.kind {
	case timePasses:
		m.tick(-1)
	case timePassesLate:
		b.Late--
		m.tick(k)
	case arrives:
		m.deliver(k, false)
	case arrivesAgain:
		b.Duplicate--
		m.deliver(k, true)
	case answered:
		m.answer(k)
	case looks:
		b.Split--
		m.look(k, false, false)
	case looksTorn:
		b.Torn--
		m.look(k, true, false)
	case looksStale:
		b.Stale--
		m.look(k, false, true)
	case fails:
		m.failRequest(k)
	case left:
		b.Unknown--
		m.leave(k)
	case appliedThenConflict, conflictOnly:
		b.Conflicts--
		r := m.inStore[k]
		m.dropRequest(k)
		if c.kind == appliedThenConflict {
			m.land(&r)
		}
		m.answerWrite(&r, core.Conflict)
	case lands:
		r := m.inStore[k]
		m.dropRequest(k)
		m.land(&r)
	case dies:
		b.Restarts[k]--
		m.crash(k, true, true)
	case processDies:
		b.Process--
		m.crash(k, false, true)
	case diskDies:
		b.Restarts[k]--
		b.LostDisks--
		m.crash(k, true, false)
	case comesBack:
		m.start(k)
	case deleted:
		b.Deleted--
		m.erase()
	case stepsDown:
		b.StepDowns--
		m.step(k, core.Event{Kind: core.StepDownAsked, Op: 1 << 40})
	case stops:
		m.stop(k)
	case saves:
		m.save(k)
	case sickens:
		b.Sick--
		m.step(k, core.Event{Kind: core.StandingChanged, Standing: core.Standing{Priority: 1}})
	case recovers:
		m.step(k, core.Event{Kind: core.StandingChanged, Standing: core.Standing{Healthy: true, Priority: 1}})
	case admitted:
		b.Admitted--
		m.judged.forced = true
		m.step(k, core.Event{Kind: core.AdmitForced})
	}
	m.dropDead()
	m.judge()
}

// failRequest answers that a request certainly did not happen.
func (m *mover) failRequest(k int) {
	r := m.inStore[k]
	m.left.Failed--
	m.dropRequest(k)
	if r.write {
		m.answerWrite(&r, core.Unavailable)
		return
	}
	m.step(int(r.node), core.Event{Kind: core.ReadDone, Op: r.op, Outcome: core.Unavailable})
}

// erase deletes the record.
func (m *mover) erase() {
	s := &m.store
	s.olderPresent, s.olderVersion, s.olderRecord = true, s.version, s.record
	s.present, s.version, s.record = false, "", core.Record{}
	m.judged.erased = true
}

// dropDead drops what can never make a difference any more, so that it need not be
// told apart: writes that can never land, and acknowledgements that count for nothing.
func (m *mover) dropDead() {
	for k := 0; k < m.requests; k++ {
		if m.neverLands(&m.inStore[k]) {
			m.dropRequest(k)
			k--
		}
	}
	for k := 0; k < m.messages; k++ {
		if m.countsForNothing(&m.inNet[k]) {
			m.dropMessage(k)
			k--
		}
	}
}

// neverLands: a version never comes back, except that of absence.
func (m *mover) neverLands(r *request) bool {
	return r.orphan && r.expected != m.store.version && (r.expected != "" || m.left.Deleted == 0)
}

// countsForNothing: an acknowledgement counts only for a round that its session still
// knows, and rounds are forgotten for good. Of one that is not the newest only what
// ends later than what was promised before counts, and is not over. If the holder's
// clock has something due, it would wake by any message, so none is dropped.
func (m *mover) countsForNothing(x *message) bool {
	if x.Kind != core.Ack || m.nodes[x.to].state.Next <= m.now {
		return false
	}
	s, of := &m.nodes[x.to].state, m.nodes[x.to].config
	r := s.Lead.Rounds[x.Seq%uint64(len(s.Lead.Rounds))]
	if !s.Phase.Holds() || x.Holder != of.Session || r.Seq != x.Seq || r.Sent == 0 {
		return true
	}
	if r.Seq == s.Lead.Seq || m.grid.replaces() {
		return false
	}
	over := m.now.Add(-ticks(m.grid.HeartbeatLease))
	sent := max(r.Sent, over)
	if sent == over && !m.grid.changes() {
		return true
	}
	p := &s.Peers[slices.Index(of.Peers, x.Node)]
	promised := !r.Asking || !x.Asking || p.Sent != 0 && sent <= max(p.Sent, over)
	return p.Identity == x.Identity && sent <= max(p.Answered, over) && promised
}

func (m *mover) describe(c choice) string {
	who := ""
	switch c.kind {
	case arrives, arrivesAgain:
		x := &m.inNet[c.at]
		who = fmt.Sprintf("%s from %s to %s", messageName(&x.Message), nodeName(int(x.from)), nodeName(int(x.to)))
	case answered, looks, looksTorn, looksStale, fails, left, appliedThenConflict, conflictOnly, lands:
		r := &m.inStore[c.at]
		what := "read"
		if r.write {
			what = fmt.Sprintf("write of epoch %d on %q", r.record.Epoch, r.expected)
		}
		who = fmt.Sprintf("%s by %s", what, nodeName(int(r.node)))
	case timePasses, deleted:
	default:
		who = nodeName(int(c.at))
	}
	return fmt.Sprintf("* %s %s", choiceNames[c.kind], who)
}

var choiceNames = map[choiceKind]string{
	timePasses: "a tick passes", timePassesLate: "a tick passes, late for", arrives: "arrives:",
	arrivesAgain: "arrives, and will again:", answered: "answered:", looks: "looks, not yet answered:",
	looksTorn: "looks at new bytes under an older version:", looksStale: "looks at what was before:",
	fails: "did not happen:", left: "answered unknown:", appliedThenConflict: "applied, answered conflict:",
	conflictOnly: "not applied, answered conflict:", lands: "lands at last:", dies: "machine dies:",
	processDies: "process dies, service not:", diskDies: "machine dies with its disk:", comesBack: "comes back:",
	deleted: "the record is deleted", stepsDown: "is asked to step down:", sickens: "fails its health check:",
	stops: "its service is over:", saves: "its floor is on disk:", recovers: "is healthy again:", admitted: "is admitted by force:",
}
