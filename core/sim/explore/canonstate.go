package explore

import (
	"time"

	"github.com/electd/electd/core"
)

// state writes everything of a node's state that makes a difference to what it
// does next. Left out: what is only told (Because, Trouble, Lead.Epoch), numbers of
// operations (LastOp), and what the grids hold constant (Jitter, leases, addresses).
func (c *canon) state(s *core.State) {
	c.byte(byte(s.Phase))
	c.began(s.Started, c.heartbeatLease()+Tick) // the start-up promise, and holding back after it
	c.until(s.Next)
	c.bits(s.Standing.Healthy, s.Standing.Paused, s.Shutdown, s.Admitted)
	c.until(s.StandAfter)
	c.until(s.GiveWay)
	c.floor(&s.Floor)
	c.view(&s.View)
	c.vow(&s.Vow)
	c.reading(&s.Read)
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

func (c *canon) view(v *core.View) {
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
	c.free(v.FreeAt)
	if !current || v.Record.State == core.Vacant { // only a vacancy is counted from then
		c.began(v.Since, c.heartbeatLease()+Tick)
	}
	c.began(v.AbsentSince, c.arbiterLease()+Tick)
	c.number(v.StoreDate)
	c.began(v.OlderSince, c.arbiterLease())
}

func (c *canon) vow(v *core.Vow) {
	c.free(v.Until)
	c.bits(v.Made)
	c.began(v.Contact, c.reads()) // half a heartbeat lease later it reads
	c.name(v.Owed.Session)
	if v.Owed.Peer != "" {
		c.epoch(v.Owed.Epoch)
		c.free(v.Owed.Until)
		c.round(&c.of.nodes[v.Owed.Peer[0]-'a'], v.Owed.Session, v.Owed.Seq)
	}
}

// reads is the longest time that a follower leaves between a contact or a read
// and the next read.
func (c *canon) reads() time.Duration { return max(c.heartbeatLease(), c.arbiterLease()/3) + 1 }

func (c *canon) reading(r *core.Reading) {
	c.bits(r.Op != 0, r.Wanted)
	c.until(r.NotBefore)
	c.began(r.Last, c.reads())
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
	c.until(l.ArbiterUntil)
	if s.View.Record.Open() {
		c.began(l.WrittenAt, c.arbiterLease())
	}
	if c.replaces() {
		c.began(l.Since, c.arbiterLease())
	}
	c.bits(l.BeatsVoid, l.RenewWanted, l.Promoted, l.Op != 0, l.Answer != 0)
	c.until(l.RosterAt)
	c.epoch(l.StaleEpoch)
	c.until(l.RoundAt)
	// Of the rounds only the newest counts by itself, the others by the messages
	// about them.
	c.began(l.Rounds[l.Seq%uint64(len(l.Rounds))].Sent, Tick)
	c.until(l.Retry)
	c.name(string(l.Leaving))
	c.name(l.Successor)
	c.until(l.ReleaseBy)
}

// replaces reports whether electors may be replaced by other machines: only
// then it matters since when they have been silent.
func (c *canon) replaces() bool { return c.grid.Budget.LostDisks > 0 }

func (c *canon) peer(s *core.State, p *core.Peer) {
	h := &p.Hello
	c.bits(p.Connected, h.Known, h.HasFloor, h.Eligible, h.Paused)
	c.name(h.Identity)
	c.epoch(h.Floor)
	if !s.Phase.Holds() {
		return // the rest is as a holder sees it
	}
	c.bits(p.Reachable, p.Seq == s.Lead.Seq)
	c.began(p.Answered, c.heartbeatLease())
	c.began(p.Sent, c.heartbeatLease())
	c.name(p.Identity)
	if c.replaces() {
		c.began(p.Alive, c.arbiterLease())
	}
}
