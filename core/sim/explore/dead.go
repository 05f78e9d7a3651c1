package explore

import (
	"slices"

	"github.com/electd/electd/core"
)

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
	if !s.Phase.Holds() || x.Holder != of.Session {
		return true
	}
	if m.grid.replaces() {
		return false // each is a sign of life
	}
	if r.Seq != x.Seq || r.Sent == 0 {
		return true
	}
	if r.Seq == s.Lead.Seq {
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
