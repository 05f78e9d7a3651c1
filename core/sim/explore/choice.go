package explore

import (
	"fmt"

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
	add := func(kind choiceKind, at int) { out = append(out, choice{kind, uint8(at)}) }
	for k := range m.requests {
		m.requestChoices(&m.inStore[k], k, add)
	}
	for k := range m.messages {
		add(arrives, k)
		if m.left.Duplicate > 0 {
			add(arrivesAgain, k)
		}
	}
	for i := range m.grid.Nodes {
		m.nodeChoices(i, add)
	}
	if m.left.Deleted > 0 && m.mayErase() {
		add(deleted, 0)
	}
	if !m.timeWaits() {
		m.timeChoices(add)
	}
	return out
}

func (m *mover) requestChoices(r *request, k int, add func(choiceKind, int)) {
	switch {
	case r.orphan:
		if r.expected == m.store.version {
			add(lands, k)
		}
	case r.write:
		add(answered, k)
		m.writeChoices(r, k, add)
	default:
		add(answered, k)
		m.readChoices(r, k, add)
	}
}

func (m *mover) writeChoices(r *request, k int, add func(choiceKind, int)) {
	b := &m.left
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
	if b.Stale > 0 && (m.store.olderPresent || m.grid.Blank) {
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
		if b.LostDisks > 0 && !m.recordGone() {
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

// timeWaits reports whether something must be over before a tick passes.
func (m *mover) timeWaits() bool {
	for k := range m.requests {
		if m.timedOut(&m.inStore[k]) {
			return true
		}
	}
	for i := range m.grid.Nodes {
		if n := &m.nodes[i]; n.stopping != 0 && m.now >= n.actsUntil {
			return true
		}
	}
	return false
}

func (m *mover) timeChoices(add func(choiceKind, int)) {
	add(timePasses, 0)
	if m.left.Late == 0 {
		return
	}
	for i := range m.grid.Nodes {
		if n := &m.nodes[i]; n.up && n.state.Next <= m.now+Tick {
			add(timePassesLate, i)
		}
	}
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
