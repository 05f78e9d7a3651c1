package explore

import "github.com/electd/electd/core"

// judged is what the judge has to remember of a trace.
type judged struct {
	acted   core.Epoch // highest epoch that anybody acted at
	by      string     // the session
	highest core.Epoch // ever stored
	holder  string     // the session whose it is
	erased  bool
	forced  bool
}

// judge compares what the nodes may do at this instant (I1, I2, I3).
func (m *mover) judge() {
	acting := -1
	for i := range m.grid.Nodes {
		epoch := m.actsAt(i)
		if epoch == 0 {
			continue
		}
		if acting >= 0 {
			m.fail("I1", "%s acts at epoch %d and %s at epoch %d", nodeName(acting), m.actsAt(acting), nodeName(i), epoch)
		}
		acting = i
	}
}

// actsAt returns the epoch that a node, or what its dead process left behind,
// acts at; 0 if none.
func (m *mover) actsAt(i int) core.Epoch {
	n := &m.nodes[i]
	if n.up {
		if epoch, until := n.state.Guard(n.config); epoch != 0 && m.now < until {
			return epoch
		}
	}
	if m.now < n.actsUntil {
		return n.actsEpoch
	}
	return 0
}

// judgeStep judges one node after a step.
func (m *mover) judgeStep(i int) {
	n := &m.nodes[i]
	s := &n.state
	if s.Phase.Holds() && s.Lead.ArbiterUntil > n.bought {
		m.fail("I9", "%s counts on authority that no write bought", nodeName(i))
	}
	if !s.Write.Open {
		n.bought = s.Lead.ArbiterUntil // what was given up stays given up
	}
	if s.Phase != core.Leading {
		return
	}
	m.judgePromises(i)
	epoch, until := s.Guard(n.config)
	if epoch == 0 || m.now >= until {
		return
	}
	n.acted = true
	j := &m.judged
	session := n.config.Session
	if epoch < j.acted || epoch == j.acted && j.by != session {
		m.fail("I2", "%s acts at epoch %d after %s did at %d", session, epoch, j.by, j.acted)
	}
	j.acted, j.by = epoch, session
}

// judgePromises checks that every promise a leader counts on was given, and lasts
// as long as it counts on it (I4).
func (m *mover) judgePromises(i int) {
	n := &m.nodes[i]
	s := &n.state
	if s.Lead.BeatsVoid {
		return
	}
	for p, node := range n.config.Peers {
		peer := &s.Peers[p]
		if peer.Sent == 0 || !s.View.Record.Electors.Has(core.Elector{Node: node, Identity: peer.Identity}) {
			continue
		}
		until := peer.Sent.Add(min(peer.Lease, s.View.Record.HeartbeatLease))
		o := &m.nodes[node[0]-'a']
		if until <= m.now || !o.up || o.config.Identity != peer.Identity {
			continue
		}
		if max(o.state.Vow.Until, o.state.Started.Add(s.View.Record.HeartbeatLease)) < until {
			m.fail("I4", "%s counts on %s until %d, whose promise ends at %d", nodeName(i), node, until, o.state.Vow.Until)
		}
	}
}

// judgeSend judges an acknowledgement as it leaves (I5).
func (m *mover) judgeSend(i int, a *core.Message) {
	if a.Kind != core.Ack || !a.Asking {
		return
	}
	for k := range m.requests {
		r := &m.inStore[k]
		if r.write && int(r.node) == i && r.life == m.nodes[i].life && r.expected == m.store.version {
			m.fail("I5", "%s acknowledges while its write may land", nodeName(i))
		}
	}
	if m.store.present && m.store.record.Session == a.Session {
		m.fail("I5", "%s acknowledges while it is the holder", nodeName(i))
	}
}

// judgeStored judges a record that has just been stored over another (I3, I7, I8, I11).
func (m *mover) judgeStored(r *request, was *store) {
	j := &m.judged
	is := &m.store.record
	switch {
	case is.Epoch < j.highest:
		m.fail("I7", "epoch %d is stored after %d", is.Epoch, j.highest)
	case is.Epoch > j.highest:
		j.highest, j.holder = is.Epoch, is.Session
	case is.State == core.Held && j.holder != is.Session:
		m.fail("I3", "epoch %d was of %s and is now of %s", is.Epoch, j.holder, is.Session)
	}
	n := &m.nodes[r.node]
	if n.up && n.life == r.life {
		n.bought = max(n.bought, r.sent.Add(is.ArbiterLease))
	}
	if !was.present {
		return
	}
	before := &was.record
	if r.intent != core.Take {
		if is.Epoch != before.Epoch || before.State != core.Held {
			m.fail("I8", "epoch %d was renewed or released over epoch %d", is.Epoch, before.Epoch)
		}
		return
	}
	if is.Epoch != before.Epoch+1 && !j.erased {
		m.fail("I8", "epoch %d was taken over epoch %d", is.Epoch, before.Epoch)
	}
	if !before.Open() && !j.forced && !before.Electors.Has(m.writer(r)) {
		m.fail("I11", "%s took, which is no elector", nodeName(int(r.node)))
	}
}

// writer returns the elector that wrote a take: it names itself first.
func (m *mover) writer(r *request) core.Elector { return r.record.Electors.List[0] }
