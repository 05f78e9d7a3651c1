package explore

import "github.com/electd/electd/core"

// take makes a choice.
func (m *mover) take(c choice) {
	if m.tell != nil {
		m.tell(m.describe(c))
	}
	takers[c.kind](m, int(c.at))
	m.dropDead()
	m.judge()
}

// takers do what happens: to a node, a message or a request.
var takers = [...]func(m *mover, at int){
	timePasses:          func(m *mover, _ int) { m.tick() },
	timePassesLate:      (*mover).tickLate,
	arrives:             (*mover).deliver,
	arrivesAgain:        (*mover).deliverAgain,
	answered:            (*mover).answer,
	looks:               (*mover).lookEarly,
	looksTorn:           (*mover).lookTorn,
	looksStale:          (*mover).lookStale,
	fails:               (*mover).failRequest,
	left:                (*mover).leave,
	appliedThenConflict: (*mover).applyAndDeny,
	conflictOnly:        (*mover).deny,
	lands:               (*mover).landLate,
	dies:                (*mover).killMachine,
	processDies:         (*mover).killProcess,
	diskDies:            (*mover).killDisk,
	comesBack:           (*mover).start,
	deleted:             func(m *mover, _ int) { m.erase() },
	stepsDown:           (*mover).stepDown,
	stops:               (*mover).stop,
	saves:               (*mover).save,
	sickens:             (*mover).sicken,
	recovers:            (*mover).heal,
	admitted:            (*mover).admit,
}

func (m *mover) stepDown(i int) {
	m.left.StepDowns--
	m.step(i, core.Event{Kind: core.StepDownAsked, Op: 1 << 40})
}

func (m *mover) sicken(i int) {
	m.left.Sick--
	m.step(i, core.Event{Kind: core.StandingChanged, Standing: core.Standing{Priority: 1}})
}

func (m *mover) heal(i int) {
	m.step(i, core.Event{Kind: core.StandingChanged, Standing: core.Standing{Healthy: true, Priority: 1}})
}

func (m *mover) admit(i int) {
	m.left.Admitted--
	m.judged.forced = true
	m.step(i, core.Event{Kind: core.AdmitForced})
}

// mayErase reports whether there is a record to delete, and somebody knows of it. If
// nobody does it is forgotten, whoever begins anew (design 3.8).
func (m *mover) mayErase() bool {
	known := false
	for i := range m.grid.Nodes {
		n := &m.nodes[i]
		known = known || n.known || n.up && n.state.View.Heard != (core.Position{})
	}
	for k := range m.requests {
		r := &m.inStore[k]
		known = known || r.looked && r.found == core.FoundRecord
	}
	return known && m.store.present
}

// recordGone reports whether the record is deleted, and not there again: nobody
// might be left who knew of it.
func (m *mover) recordGone() bool { return m.judged.erased && !m.store.present }

// erase deletes the record.
func (m *mover) erase() {
	m.left.Deleted--
	s := &m.store
	s.olderPresent, s.olderVersion, s.olderRecord = true, s.version, s.record
	s.present, s.version, s.record = false, "", core.Record{}
	m.judged.erased = true
}
