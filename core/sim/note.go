package sim

import "github.com/electd/electd/core"

// noteRecord counts admissions and what became of hand-overs.
func (w *World) noteRecord(r *request, is *core.Record) {
	j := &w.judge
	for i := range is.Electors.Len {
		if e := is.Electors.List[i]; j.refused[e] {
			delete(j.refused, e)
			w.seen[StrangerAdmitted]++
		}
	}
	if was := &w.store.older; was.present {
		for i := range was.record.Electors.Len {
			if is.Electors.Identity(was.record.Electors.List[i].Node) == "" {
				w.seen[ElectorRemoved]++
			}
		}
	}
	if r.intent == core.Take && j.successor != "" {
		if is.Holder == j.successor {
			w.seen[HandOverTaken]++
		} else {
			w.seen[HandOverReopened]++
		}
	}
	if r.intent == core.Take && w.nodes[r.node].life == r.life && w.nodes[r.node].state.Phase == core.Fenced {
		w.seen[Retaken]++
	}
	j.successor = is.Successor
}

// noteFreeAt remembers what told a node when its holder's authority is over.
func (p *past) noteFreeAt(freeAt core.Instant, ev *core.Event) {
	if freeAt == p.freeAt {
		return
	}
	p.freeAt, p.freeBy = freeAt, ColdByHeartbeat
	if ev.Kind == core.ReadDone {
		p.freeBy = ColdByObservation
		if ev.Age > 0 {
			p.freeBy = ColdByAge
		}
	}
}

// noteTake counts in what way a node came to take.
func (w *World) noteTake(n *node) {
	challengers := 0
	for _, o := range w.nodes {
		if o.up && o.state.Phase == core.Taking {
			challengers++
		}
	}
	if challengers >= 2 && len(w.nodes) >= 3 {
		w.seen[TwoChallengers]++
	}
	r := &w.store.record
	own := r.State == core.Held && r.Session != n.config.Session && contains(n.sessions, r.Session)
	if own && n.state.Now < n.state.Started.Add(r.ArbiterLease) {
		w.seen[RestartInOwnLease]++
	}
}

// noteChallenge counts in what way a challenger came to know that it may.
func (w *World) noteChallenge(n *node) {
	s := &n.state
	switch {
	case s.View.FreeAt <= s.Vow.Until:
		w.seen[WarmTakeover]++
		if w.now-w.store.written < w.plan.Timing.ArbiterLease {
			w.seen[WaiverTakeover]++
		}
	default:
		w.seen[n.past.freeBy]++
	}
}

func (w *World) told(n *node, a *core.Action) {
	switch a.Reason {
	case core.ToldTwinIdentity:
		w.seen[TwinRefused]++
	case core.ToldStranger:
		w.seen[StrangerRefused]++
		w.judge.refused[n.elector()] = true
	}
}

// receives counts what a message meets.
func (w *World) receives(n *node, m *core.Message) {
	switch {
	case m.Kind == core.Busy:
		w.noteBusy(n, m)
	case m.Kind == core.Ack && n.state.Phase == core.Fenced && m.Holder == n.config.Session && m.Seq <= n.past.fenced:
		w.seen[LateAck]++
	}
}

// noteAnswer counts what the store's answers leave open.
func (w *World) noteAnswer(n *node, r *request, ev *core.Event) {
	if !r.write {
		return
	}
	switch ev.Outcome {
	case core.Conflict:
		if n.state.Phase.Holds() {
			w.seen[ConflictAtLeader]++
		}
	case core.Unknown:
		if r.intent == core.Release {
			w.seen[ReleaseUnresolved]++
		}
		switch {
		case r.arrives:
			r.late = true
		case r.event.Outcome == core.Applied:
			w.seen[UnknownApplied]++
		default:
			w.seen[UnknownNotApplied]++
		}
	}
}
