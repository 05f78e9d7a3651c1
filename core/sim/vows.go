package sim

import "github.com/electd/electd/core"

// vows is what the judge remembers of the promises that a session gave, of those
// it was given, and of its being told Busy.
type vows struct {
	epoch   core.Epoch // of the last promise it gave
	session string     // whom it was given to
	heard   core.Position

	answers [maxAnswers]answer // the newest one of each elector that answered it
	next    int

	asksHelp   Time // since when an elector waits for a renewal; 0 if none does
	asksHelpAt core.Position
}

const maxAnswers = 8

// answer is an elector's newest acknowledgement.
type answer struct {
	from core.Elector
	at   Time
}

// judgeOneSession checks that an elector promises to one session an epoch (I3),
// unless the record itself has gone to another one by a rollback.
func (w *World) judgeOneSession(n *node, m *core.Message) {
	v := &n.past.vows
	r := &n.state.View.Record
	read := r.Epoch == m.Epoch && r.Session == m.Holder
	if v.epoch == m.Epoch && v.session != m.Holder && !read {
		w.fail("I3", "%s promises epoch %d to %s after %s", n.config.Session, m.Epoch, m.Holder, v.session)
	}
	v.epoch, v.session = m.Epoch, m.Holder
	n.disk.vowed = max(n.disk.vowed, m.Epoch)
}

// noteHeard notices that a node believes a rollback.
func (v *vows) noteHeard(heard core.Position) {
	if v.heard.After(heard) {
		v.epoch, v.session = 0, ""
	}
	v.heard = heard
}

// noteAck remembers when a leader was last answered by an elector.
func (w *World) noteAck(n *node, m *core.Message) {
	s := &n.state
	if s.Phase != core.Leading || m.Holder != n.config.Session || m.Epoch != s.View.Record.Epoch || m.Seq+4 < s.Lead.Seq {
		return
	}
	v := &n.past.vows
	from := core.Elector{Node: m.Node, Identity: m.Identity}
	for i := range v.answers {
		if v.answers[i].from == from {
			v.answers[i].at = w.now
			return
		}
	}
	v.answers[v.next%maxAnswers] = answer{from, w.now}
	v.next++
}

// judgeReplacement checks that no elector gives way to another machine of its
// name while it answers (design 3.5): the second machine is the stranger (I11).
func (w *World) judgeReplacement(n *node, r *request) {
	if n.state.Write.Tries > 1 {
		return // decided earlier
	}
	was, is := &n.state.View.Record.Electors, &r.record.Electors
	for i := range was.Len {
		e := was.List[i]
		if is.Has(e) || is.Identity(e.Node) == "" {
			continue
		}
		for _, a := range n.past.answers {
			if a.from == e && w.now-a.at < Time(n.state.View.Record.ArbiterLease)*99/100 {
				w.fail("I11", "%s replaces the elector %v, which answered %.3fs ago", n.config.Session, e, float64(w.now-a.at)/float64(Second))
			}
		}
	}
}

// noteBusy remembers since when an elector, whose unresolved write expects the
// very record that stands, has waited for the holder to move it on.
func (w *World) noteBusy(n *node, m *core.Message) {
	s, v := &n.state, &n.past.vows
	at := s.View.Record.Position()
	if s.Phase.Holds() && m.Holder == n.config.Session && (core.Position{Epoch: m.Epoch, Revision: m.Revision}) == at &&
		s.View.Record.Electors.Has(core.Elector{Node: m.Node, Identity: m.Identity}) && v.asksHelp == 0 {
		v.asksHelp, v.asksHelpAt = w.now, at
	}
}

// judgeHelp checks that such an elector is helped at once, as far as the pauses
// between attempts allow (L5).
func (w *World) judgeHelp(n *node) {
	s, v := &n.state, &n.past.vows
	if v.asksHelp == 0 {
		return
	}
	leaves := !s.Phase.Holds() || s.Phase == core.Releasing || s.Lead.StaleEpoch != 0
	unsaved := s.Floor.Saved < s.View.Record.Epoch // it has to wait (decision 0116)
	if leaves || unsaved || s.Write.Open || s.View.Record.Position() != v.asksHelpAt {
		v.asksHelp = 0
		return
	}
	if w.now-v.asksHelp > w.plan.Timing.Interval && s.Write.NotBefore < s.Now {
		w.fail("L5", "%s has not written since it was told Busy at %d/%d", n.config.Session, v.asksHelpAt.Epoch, v.asksHelpAt.Revision)
	}
}
