package sim

import "github.com/electd/electd/core"

// judge knows the truth that no node knows, and compares.
type judge struct {
	epochs     map[core.Epoch]string // the session of every epoch ever stored
	highest    core.Epoch            // ever stored
	actedAt    core.Epoch            // the newest epoch acted at
	leader     string                // session that acted last
	failovers  int
	rolledBack bool
	erased     Time
	settled    bool                  // faults are over
	requests   int                   // to the store
	refused    map[core.Elector]bool // machines that were told to be strangers
	successor  string                // named by the newest record

	failoversBefore int    // the only fault of a run
	requestsBefore  int    // it was calm
	leaderBefore    string // it was calm
	loss            bool   // the store, or the peers, are out of reach for good
}

// past is what the judge remembers of a node's session.
type past struct {
	life     uint32
	fencedAt core.Instant
	fenced   uint64 // the newest round before that
	freeAt   core.Instant
	freeBy   Counter   // how it came to know that
	writes   [4]bought // authority bought by applied writes, newest last
	vows
}

// bought is the authority that an applied write bought.
type bought struct{ until core.Instant }

// business is what the simulation keeps for a node's sake.
type business struct {
	asker *node // whose heartbeat it answers
	steps int
	since Time

	asked  int // requests to the store since asking, of this life
	asking Time
	life   uint32
}

func (j *judge) init() {
	j.epochs = map[core.Epoch]string{}
	j.refused = map[core.Elector]bool{}
}

// applied judges a write that has just been stored.
func (w *World) applied(r *request) {
	j := &w.judge
	was, is := &w.store.older, &w.store.record
	session := is.Session
	if is.State == core.Held && !j.rolledBack {
		if other, ok := j.epochs[is.Epoch]; ok && other != session {
			w.fail("I3", "epoch %d was of %s and is now of %s", is.Epoch, other, session)
		}
	}
	if is.State == core.Held {
		j.epochs[is.Epoch] = session
	}
	if is.Epoch < j.highest && !j.rolledBack {
		w.fail("I7", "epoch %d is stored after %d", is.Epoch, j.highest)
	}
	j.highest = max(j.highest, is.Epoch)
	if was.present {
		w.judgeSuccession(r, &was.record, is)
	}
	w.noteRecord(r, is)
	n := w.nodes[r.node]
	if n.life == r.life {
		copy(n.past.writes[:], n.past.writes[1:])
		n.past.writes[len(n.past.writes)-1] = bought{n.clock.at(r.sent).Add(is.ArbiterLease)}
	}
	if w.trace != nil {
		w.say("stored %s: epoch %d revision %d %s of %q electors %v", w.store.version, is.Epoch, is.Revision, stateName(is), is.Session, is.Electors.List[:is.Electors.Len])
	}
}

// judgeSuccession judges what a record may follow on.
func (w *World) judgeSuccession(r *request, was, is *core.Record) {
	writer := core.Elector{Node: w.plan.Nodes[r.node].ID, Identity: w.nodes[r.node].config.Identity}
	switch r.intent {
	case core.Take:
		if is.Epoch > was.Epoch+1 {
			w.seen[FloorJump]++
		}
		if is.Epoch <= was.Epoch {
			w.fail("I8", "epoch %d was taken from epoch %d", is.Epoch, was.Epoch)
		}
		if n := w.nodes[r.node]; n.life == r.life && !n.state.Admitted && !was.Open() && !was.Electors.Has(writer) {
			w.fail("I11", "%v took from electors %v", writer, was.Electors.List[:was.Electors.Len])
		}
	case core.Renew, core.Release:
		if is.Epoch != was.Epoch || was.State != core.Held || r.intent == core.Renew && is.Session != was.Session {
			w.fail("I8", "epoch %d of %q was renewed or released over epoch %d of %q", is.Epoch, is.Session, was.Epoch, was.Session)
		}
	}
}

// unfenced judges the instant at which a service begins to act.
func (w *World) unfenced(n *node) {
	j := &w.judge
	epoch := n.state.View.Record.Epoch
	for _, other := range w.nodes {
		if other != n && other.service.acts(w.now) && !j.rolledBack {
			w.fail("I1", "%s acts at epoch %d while %s acts at epoch %d", n.config.Session, epoch, other.service.session, other.service.epoch)
		}
	}
	if !j.rolledBack && (epoch < j.actedAt || epoch == j.actedAt && j.leader != n.config.Session) {
		w.fail("I2", "%s acts at epoch %d after %s did at %d", n.config.Session, epoch, j.leader, j.actedAt)
	}
	if epoch < n.state.Floor.Epoch {
		w.fail("I7", "%s acts at epoch %d, below its own floor %d", n.config.Session, epoch, n.state.Floor.Epoch)
	}
	if j.leader != "" && j.leader != n.config.Session {
		j.failovers++
	}
	j.actedAt, j.leader = max(j.actedAt, epoch), n.config.Session
	if epoch >= 5 {
		w.seen[EpochFive]++
	}
}

// follow keeps the judge's and the service's books after a step.
func (w *World) follow(n *node, before core.Phase, ev *core.Event) {
	if n.past.life != n.life {
		n.past = past{life: n.life}
	}
	n.past.noteHeard(n.state.View.Heard)
	n.past.noteFreeAt(n.state.View.FreeAt, ev)
	if before != n.state.Phase && n.state.Phase != core.Promoting && n.state.Phase != core.Leading {
		n.past.fencedAt, n.past.fenced = n.state.Now, n.state.Lead.Seq
	}
}

// judgeStep judges a node after a step and all its actions.
func (w *World) judgeStep(n *node, ev *core.Event) {
	w.guard(n)
	w.judgeBusy(n)
	w.judgeHelp(n)
	if ev.Kind == core.AckReceived {
		w.noteAck(n, ev.Message)
	}
	s := &n.state
	switch s.Phase {
	case core.Leading, core.Promoting:
		w.judgeAuthority(n, ev)
	}
}

// judgeAuthority compares what a leader counts on with what others undertook.
func (w *World) judgeAuthority(n *node, ev *core.Event) {
	s := &n.state
	now := s.Now
	margin := n.config.FenceMargin
	if epoch, until := s.Guard(&n.config); epoch != 0 && now >= until {
		w.fail("I12", "%s says leader after its guard shut", n.config.Session)
	}
	if k := &n.service; k.acting && k.session == n.config.Session && k.kill <= w.now {
		w.fail("I9", "%s leads on when its service has been killed", n.config.Session)
	}
	if arbiter := s.Lead.ArbiterUntil; arbiter != 0 && !n.bought(arbiter) {
		w.fail("I9", "%s counts on authority until %d that no write bought", n.config.Session, arbiter)
	}
	if ev.Kind != core.AckReceived || s.Lead.BeatsVoid {
		return
	}
	for p := range n.config.Peers {
		peer := &s.Peers[p]
		elector := core.Elector{Node: n.config.Peers[p], Identity: peer.Identity}
		if peer.Sent == 0 || !s.View.Record.Electors.Has(elector) {
			continue
		}
		until := peer.Sent.Add(min(peer.Lease, s.View.Record.HeartbeatLease))
		if until < now.Add(margin) {
			continue
		}
		w.judgePromise(n, elector, n.clock.when(until)-Time(peer.Lease)/500-Microsecond)
	}
}

// judgePromise checks that an elector's promise lasts until then (I4).
func (w *World) judgePromise(n *node, e core.Elector, until Time) {
	for _, o := range w.nodes {
		if !o.up || o.elector() != e {
			continue
		}
		s := &o.state
		start := s.Started.Add(n.state.View.Record.HeartbeatLease)
		if o.clock.when(max(s.Vow.Until, start)) < until {
			w.fail("I4", "%s counts on %v until %d, whose promise ends at %d", n.config.Session, e, until, o.clock.when(s.Vow.Until))
		}
	}
}

// bought reports whether an applied write of this session bought authority
// until then, or longer.
func (n *node) bought(until core.Instant) bool {
	for i := range n.past.writes {
		if n.past.writes[i].until >= until {
			return true
		}
	}
	return false
}

// judgeBusy finds nodes that keep themselves busy without time passing.
func (w *World) judgeBusy(n *node) {
	b := &n.busy
	if w.now-b.since > w.plan.Timing.Interval {
		b.since, b.steps = w.now, 0
	}
	b.steps++
	if b.steps > 2000 {
		w.fail("busy", "%s took %d steps within a heartbeat interval", n.config.Session, b.steps)
	}
}

// sent judges a message as it leaves.
func (w *World) sent(n *node, m *core.Message) {
	switch m.Kind {
	case core.Ack:
		if m.Asking {
			w.judgeAck(n)
			w.judgeOneSession(n, m)
			w.moment(Promises, n)
		}
	case core.Busy:
		if m.Revision != 0 {
			w.seen[BusyAnswered]++
		}
	case core.Stale:
		w.seen[StaleAnswered]++
	}
}

// judgeAck checks that no write of an elector can still be applied, or has been
// without its knowing (I5).
func (w *World) judgeAck(n *node) {
	for i := range w.requests.all {
		r := &w.requests.all[i]
		if r.write && r.arrives && int(r.node) == n.index && r.life == n.life && r.expected == w.store.version && !w.undone(n, r) {
			w.fail("I5", "%s acknowledges while its write on %q may land", n.config.Session, r.expected)
		}
	}
	if w.store.record.Session == n.config.Session && w.store.present && !w.judge.rolledBack {
		w.fail("I5", "%s acknowledges while it is the holder", n.config.Session)
	}
}

// undone reports whether a node acknowledges what a rollback has undone, of which it
// had not heard when it sent its write: it cannot know that the write is not passed by
// it (decision 0103). A proposal that jumps over epochs is passed by its like alone.
func (w *World) undone(n *node, r *request) bool {
	heard := n.state.View.Heard
	jumps := r.record.Epoch > r.base.Epoch+1
	return w.judge.rolledBack && heard.After(w.store.record.Position()) &&
		heard.After(r.top) && (!jumps || heard.Epoch >= r.record.Epoch)
}

// mostRequests bounds what one session may ask of the store within an arbiter
// lease, whatever happens. Most is asked by a leader whose link flaps while the
// store resets connections: every silence wants a renewal, each of which takes
// several attempts and as many looks (seed 21065003: 61).
const mostRequests = 80

// asks judges a request to the store as it leaves.
func (w *World) asks(n *node, r *request) {
	w.judge.requests++
	b := &n.busy
	if w.now-b.asking > w.plan.Timing.ArbiterLease || b.life != n.life {
		b.asking, b.asked, b.life = w.now, 0, n.life
	}
	b.asked++
	w.busiest = max(w.busiest, b.asked)
	if b.asked > mostRequests {
		w.fail("requests", "%s asked the store %d times within a lease", n.config.Session, b.asked)
	}
	if !r.write {
		w.moment(ReadSent, n)
		if n.state.Phase == core.Following {
			w.moment(ChallengeRead, n)
		}
		return
	}
	w.judgeReplacement(n, r)
	w.moment(WriteSent, n)
	switch r.intent {
	case core.Take:
		w.noteTake(n)
		w.moment(TakeSent, n)
	case core.Release:
		w.moment(ReleaseSent, n)
	}
}

// transition judges a change of phase.
func (w *World) transition(n *node, a *core.Action) {
	w.judgeLoss(n, a)
	switch a.Reason {
	case core.BecauseResumedByWrite, core.BecauseResumedByBeats:
		w.judgeResumption(n, a.Reason)
	case core.BecauseHolderSilent:
		w.noteChallenge(n)
	case core.BecauseReclaim:
		w.seen[Reclaimed]++
	case core.BecauseNewCluster:
		w.seen[NewCluster]++
	case core.BecauseAbsent:
		if a.To == core.Taking {
			w.seen[Recreated]++
		}
	case core.BecauseTakenLate:
		w.seen[HeldLate]++
	}
}

// judgeResumption judges that a fence is left only as design 3.7 says (I6).
func (w *World) judgeResumption(n *node, because core.Reason) {
	holder := w.store.record.Session
	if holder != n.config.Session && w.lives(holder) && w.store.deletes == 0 && !w.judge.rolledBack {
		w.fail("I6", "%s acts again at epoch %d when the record is of %q", n.config.Session, n.state.View.Record.Epoch, w.store.record.Session)
	}
	if because == core.BecauseResumedByWrite {
		w.seen[ResumeByWrite]++
		return
	}
	if n.state.Phase != core.Promoting {
		return // the same step left it again
	}
	w.seen[ResumeByRound]++
	for i := range n.state.View.Record.Electors.Len {
		e := n.state.View.Record.Electors.List[i]
		p := indexOf(n.config.Peers, e.Node)
		if p >= 0 && n.state.Peers[p].Sent < n.past.fencedAt {
			w.fail("I6", "%s resumes on an acknowledgement from before its fence", n.config.Session)
		}
	}
}

// floorSaved hands over what became of a save.
func (w *World) floorSaved(n *node, op int64, ok bool) {
	if ok {
		n.disk.floor, n.disk.known = max(n.disk.floor, n.saving), true
	}
	w.step(n, core.Event{Kind: core.FloorSaved, Op: core.OpID(op), OK: ok, Epoch: n.saving})
}

func (n *node) sessionOf(life uint32) string { return n.sessions[life-1] }

func stateName(r *core.Record) string {
	if r.State == core.Held {
		return "held"
	}
	return "vacant"
}

// lives reports whether a session runs. The take of a dead one may have been
// applied without anybody's knowledge; nobody will ever act on it.
func (w *World) lives(session string) bool {
	for _, n := range w.nodes {
		if n.up && n.config.Session == session {
			return true
		}
	}
	return false
}
