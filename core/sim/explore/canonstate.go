package explore

import (
	"github.com/electd/electd/core"
)

// state writes everything of a node's state that makes a difference to what it
// does next. Left out: what is only told (Because, Trouble, Lead.Epoch), numbers of
// operations (LastOp), and what the grids hold constant (Jitter, leases, addresses).
func (c *canon) state(s *core.State, of *core.Config) {
	c.byte(byte(s.Phase))
	c.bits(s.Standing.Healthy, s.Standing.Paused, s.Shutdown, s.Admitted)
	c.until(s.Next)
	c.until(s.StandAfter)
	c.until(s.GiveWay)
	c.floor(&s.Floor)
	c.view(s, of)
	c.vow(s, of)
	c.reading(s)
	c.writing(&s.Write)
	c.holding(s)
	for i := range c.grid.Nodes - 1 {
		c.peer(s, &s.Peers[i])
	}
}

func (c *canon) floor(f *core.Floor) {
	c.bits(f.Known, f.Op != 0)
	c.epoch(f.Epoch)
	c.epoch(f.Saved)
	c.until(f.Retry)
}

func (c *canon) view(s *core.State, of *core.Config) {
	v := &s.View
	c.byte(byte(v.Found))
	current := v.Record.Position() == v.Heard
	c.bits(current)
	c.epoch(v.Record.Epoch)
	if v.Record.Epoch != 0 {
		c.content(&v.Record) // an outdated copy's revision orders nothing: Heard does
	}
	c.position(v.Heard)
	c.position(v.Top)
	c.version(v.Version)
	c.name(v.Holder)
	c.name(v.Session)
	if v.Session != of.Session || c.grid.deletes() {
		c.free(freeAt(s)) // nobody waits for himself
	}
	// Only a vacancy is counted from then, and what follows an absence is newer.
	if v.Session == "" && (v.AbsentSince == 0 || c.grid.Budget.Stale > 0) {
		c.began(v.Since, c.heartbeatLease()+Tick)
	}
	if c.grid.deletes() { // a look from before does not count
		c.bits(s.Read.Last < v.Since)
	}
	c.began(v.AbsentSince, c.arbiterLease()+Tick)
	c.epoch(core.Epoch(v.StoreDate))
	if v.AbsentSince != 0 {
		c.epoch(v.Anew)
	} else {
		c.epoch(0)
	}
	c.began(v.OlderSince, c.arbiterLease())
}

// freeAt returns when the holder's arbiter authority is over: what ends before the
// own promise might as well end with it, for the later of the two is waited for,
// and promises never end earlier than they did.
func freeAt(s *core.State) core.Instant { return max(s.View.FreeAt, s.Vow.Until) }

func (c *canon) vow(s *core.State, of *core.Config) {
	v := &s.Vow
	c.free(v.Until)
	// What a predecessor may have promised counts with the own promises, once a
	// record is read. It is shorter than they are, or still to be reckoned with.
	predecessors := s.Started.Add(c.heartbeatLease())
	if predecessors <= v.Until {
		predecessors = 0
	}
	c.free(predecessors)
	c.bits(v.Made && of.Previous != "") // only a session that has a previous one is asked
	c.name(v.Owed.Session)
	if v.Owed.Peer != "" {
		c.epoch(v.Owed.Epoch)
		c.free(v.Owed.Until)
		c.round(&c.of.nodes[v.Owed.Peer[0]-'a'], v.Owed.Session, v.Owed.Seq)
	}
}

// reading writes when the next read is due: by polling, or, where a heartbeat came
// after the last read, when its holder has been silent for half a lease. Whoever
// becomes a holder reads later than that, or not at all.
func (c *canon) reading(s *core.State) {
	r := &s.Read
	c.bits(r.Op != 0, r.Wanted)
	c.until(r.NotBefore)
	c.began(r.Last, c.arbiterLease()/3)
	if contact := s.Vow.Contact; contact > r.Last && !s.Phase.Holds() {
		c.until(contact.Add(c.heartbeatLease() / 2))
	} else {
		c.number(atZero)
	}
	c.failures(r.Failures)
}

func (c *canon) writing(w *core.Writing) {
	c.bits(w.Op != 0, w.Open)
	c.until(w.NotBefore)
	if !w.Open {
		return
	}
	c.byte(byte(w.OpAttempt))
	c.byte(byte(w.Intent))
	c.position(w.Proposal.Position())
	c.content(&w.Proposal)
	c.position(w.Base)
	c.version(w.Expected)
	c.byte(byte(w.Len))
	for i := range w.Len {
		c.writeID(w.Attempts[i].WriteID)
		c.began(w.Attempts[i].Started, c.arbiterLease())
	}
	c.failures(w.Tries)
	c.began(w.Last, c.arbiterLease()/3) // the longest pause between attempts
}

func (c *canon) holding(s *core.State) {
	l := &s.Lead
	c.byte(byte(l.Service))
	if l.Service != core.Passive {
		c.until(l.Ends) // electors are told, and the stop is bound by it
		c.epoch(l.ServiceEpoch)
	}
	if !s.Phase.Holds() {
		return // the rest starts anew with a holding
	}
	c.bits(l.ArbiterUntil == 0) // waived: there is nothing to waive any more
	c.until(l.ArbiterUntil)
	if s.View.Record.Open() {
		c.began(l.WrittenAt, c.arbiterLease())
	}
	if c.grid.replaces() {
		c.began(l.Since, c.arbiterLease())
	}
	c.bits(l.BeatsVoid, l.RenewWanted, l.Promoted, l.Op != 0, l.Answer != 0)
	c.until(l.RosterAt)
	c.epoch(l.StaleEpoch)
	c.until(l.RoundAt)
	// Of the rounds only the newest counts by itself, the others by the messages
	// about them.
	c.began(l.Rounds[l.Seq%uint64(len(l.Rounds))].Sent, Tick)
	if l.Service == core.Active && s.Phase != core.Promoting && s.Phase != core.Leading {
		c.until(l.Retry) // a fence sets it anew
	}
	c.name(string(l.Leaving))
	c.name(l.Successor)
	c.until(l.ReleaseBy)
}

// asks reports whether it matters what a node's peers have answered.
func asks(s *core.State) bool { return s.View.AbsentSince != 0 && !s.Floor.Known }

func (c *canon) peer(s *core.State, p *core.Peer) {
	h := &p.Hello
	answered := asks(s) && h.Answers == s.View.Question
	c.bits(p.Connected, h.Known, h.HasFloor, h.Eligible, h.Paused, answered)
	c.name(h.Identity)
	if known := max(s.View.Top.Epoch, s.Floor.Epoch); h.Floor > known {
		c.epoch(h.Floor) // a take goes above all of them, and none ever falls
	} else {
		c.epoch(0)
	}
	if h.Heard.After(s.View.Top) {
		c.position(h.Heard) // it is read for once
	} else {
		c.position(core.Position{})
	}
	if !s.Phase.Holds() {
		return // the rest is as a holder sees it
	}
	over := c.now.Add(-c.heartbeatLease())
	recent, sent := max(p.Answered, over), max(p.Sent, over)
	if c.grid.changes() {
		sent = p.Sent // whoever has never promised is not named beside those who have
	} else if !p.Reachable && recent == over && sent == over {
		c.byte(0) // as if it had never answered
		return
	}
	c.bits(true, p.Reachable, p.Seq == s.Lead.Seq)
	c.began(recent, c.heartbeatLease())
	c.began(sent, c.heartbeatLease())
	c.name(p.Identity)
	if c.grid.replaces() {
		c.began(p.Alive, c.arbiterLease())
	}
}
