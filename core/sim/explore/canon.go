package explore

import (
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/electd/electd/core"
)

// canon writes a world in a form that is equal for worlds that behave alike:
// instants as seen from now, epochs and revisions by their rank, names of versions
// and write_ids in the order they appear. What can make no difference
// any more is left out or clamped, each time with the reason; a test compares
// what worlds of equal form lead to.
type canon struct {
	buf  []byte
	grid *Grid
	of   *world
	now  core.Instant

	holdsBack time.Duration // of the node being written, at most
	epochs    ranks
	revs      ranks
	versions  []core.Version
	writeIDs  []string
}

// hash returns the hash of a world's form.
func (c *canon) hash(g *Grid, w *world) uint64 {
	c.begin(g, w)
	c.world(g, w)
	c.epochs.write(c.buf)
	c.revs.write(c.buf)
	return xxhash.Sum64(c.buf)
}

func (c *canon) begin(g *Grid, w *world) {
	c.buf, c.versions, c.writeIDs = c.buf[:0], c.versions[:0], c.writeIDs[:0]
	c.now = w.now
	c.grid, c.of = g, w
	// Where there may be no record, the first epoch is the neighbour of none.
	c.epochs.reset(g.deletes())
	c.revs.reset(g.deletes())
}

func (c *canon) byte(b byte)    { c.buf = append(c.buf, b) }
func (c *canon) number(n int64) { c.buf = append(c.buf, byte(n), byte(n>>8)) }

func (c *canon) epoch(e core.Epoch) {
	c.epochs.note(len(c.buf), uint64(e))
	c.byte(0)
}

func (c *canon) bits(bits ...bool) {
	var b byte
	for i, set := range bits {
		if set {
			b |= 1 << i
		}
	}
	c.byte(b)
}

// The forms of the two special instants; no clamped difference is as large.
const (
	atNever = 0x7fff
	atZero  = 0x7ffe
)

// began writes an instant that only matters together with a duration: what
// began longer ago than that, began that long ago.
func (c *canon) began(i core.Instant, matters time.Duration) {
	c.instant(i, -matters)
}

// until writes an instant that something waits for: what is over is over, and what
// never was.
func (c *canon) until(i core.Instant) {
	if i <= c.now {
		i = c.now
	}
	c.instant(i, 0)
}

// free writes an instant that a challenge waits for. Candidates hold back after it,
// by less than a tick; the first of them never does.
func (c *canon) free(i core.Instant) {
	c.instant(max(i, c.now.Add(-c.holdsBack)), -Tick)
}

func (c *canon) instant(i core.Instant, least time.Duration) {
	switch i {
	case core.Never:
		c.number(atNever)
	case 0:
		c.number(atZero)
	default:
		c.number(int64(max(i.Sub(c.now), least)))
	}
}

func (c *canon) heartbeatLease() time.Duration { return ticks(c.grid.HeartbeatLease) }
func (c *canon) arbiterLease() time.Duration   { return ticks(c.grid.ArbiterLease) }

// failures writes a count that only makes pauses longer, up to a third of the
// arbiter lease: the fifth is as long as the fourth.
func (c *canon) failures(n int) { c.byte(byte(min(n, 5))) }

func (c *canon) position(p core.Position) {
	c.epoch(p.Epoch)
	c.rev(p.Revision)
}

func (c *canon) rev(r core.Revision) {
	c.revs.note(len(c.buf), uint64(r))
	c.byte(0)
}

func (c *canon) version(v core.Version) {
	if v == "" {
		c.byte(0xff)
		return
	}
	for i, known := range c.versions {
		if known == v {
			c.byte(byte(i))
			return
		}
	}
	c.byte(byte(len(c.versions)))
	c.versions = append(c.versions, v)
}

func (c *canon) writeID(id string) {
	if id == "" {
		c.byte(0xff)
		return
	}
	for i, known := range c.writeIDs {
		if known == id {
			c.byte(byte(i))
			return
		}
	}
	c.byte(byte(len(c.writeIDs)))
	c.writeIDs = append(c.writeIDs, id)
}

// session writes a session, an identity or a node id: they are short, and start
// with the node's letter.
func (c *canon) name(s string) {
	c.byte(byte(len(s)))
	c.buf = append(c.buf, s...)
}

func (c *canon) roster(r *core.Roster) {
	c.byte(byte(r.Len))
	for i := range r.Len {
		c.name(r.List[i].Identity)
	}
}

func (c *canon) record(r *core.Record) {
	c.epoch(r.Epoch)
	if r.Epoch == 0 {
		return
	}
	c.rev(r.Revision)
	c.writeID(r.WriteID)
	c.content(r)
}

// content writes what a record says, without its place in the order of records.
func (c *canon) content(r *core.Record) {
	c.name(r.Session)
	c.name(r.Successor)
	c.byte(byte(r.State))
	c.roster(&r.Electors)
}

func (c *canon) world(g *Grid, w *world) {
	c.budget(&w.left)
	c.store(g, w)
	c.epoch(core.Epoch(g.Date)) // the store may say it at any time
	c.judged(&w.judged)
	for i := range g.Nodes {
		c.node(&w.nodes[i])
	}
	for i := range g.Nodes {
		for k := range w.requests {
			if r := &w.inStore[k]; int(r.node) == i {
				c.request(g, w, r)
			}
		}
	}
	c.messages(g, w)
}

func (c *canon) budget(b *Budget) {
	for _, n := range b.Restarts {
		c.byte(byte(n))
	}
	for _, n := range [...]int8{
		b.Process, b.LostDisks, b.Late, b.Duplicate, b.Unknown, b.Failed, b.Conflicts, b.Split, b.Torn,
		b.Stale, b.Deleted, b.StepDowns, b.Sick, b.Admitted,
	} {
		c.byte(byte(n))
	}
}

func (c *canon) store(g *Grid, w *world) {
	s := &w.store
	c.version(s.version)
	if s.present {
		c.record(&s.record)
		if g.Ages {
			c.began(s.written, c.arbiterLease()+Tick) // a lease from then on, and holding back after it
		}
	}
	if w.left.Torn > 0 || w.left.Stale > 0 {
		c.bits(s.olderPresent)
		c.version(s.olderVersion)
		c.record(&s.olderRecord)
	}
}

func (c *canon) judged(j *judged) {
	c.epoch(j.acted)
	c.name(j.by)
	c.epoch(j.highest)
	c.bits(j.erased, j.forced)
	c.name(j.holder)
}

func (c *canon) node(n *node) {
	c.bits(n.up, n.known)
	c.byte(n.life)
	c.byte(n.disks)
	c.epoch(n.floor)
	c.name(n.previous)
	if n.actsUntil > c.now {
		c.until(n.actsUntil)
		c.epoch(n.actsEpoch)
	} else {
		c.byte(0)
	}
	if !n.up {
		return
	}
	c.bits(n.config.Previous != "", n.acted && c.grid.SlowStops, n.stopping != 0, n.saving != 0)
	if n.saving != 0 {
		c.epoch(n.saves)
	}
	c.until(n.bought)
	c.holdsBack = Tick
	if n.config.Node == nodeName(0) {
		c.holdsBack = 0 // all are of one priority, so names decide
	}
	c.state(&n.state, n.config)
}

func (c *canon) request(g *Grid, w *world, r *request) {
	c.byte(r.node)
	c.byte(r.life)
	c.bits(r.write, r.orphan, r.looked)
	if !r.orphan {
		c.began(r.sent, c.arbiterLease())
	}
	if r.write {
		c.byte(byte(r.intent))
		c.version(r.expected)
		c.record(&r.record)
		return
	}
	if r.looked {
		c.byte(byte(r.found))
		c.version(r.version)
		c.number(r.age)
		c.record(&r.record)
	}
}

// messages writes the messages grouped by way and kind: only within a group does
// their order make a difference, for which of them is lost first.
func (c *canon) messages(g *Grid, w *world) {
	for to := range g.Nodes {
		for kind := core.Hello; kind <= core.HandOver; kind++ {
			for k := range w.messages {
				if x := &w.inNet[k]; int(x.to) == to && x.Kind == kind {
					c.message(w, x)
				}
			}
		}
	}
}

func (c *canon) message(w *world, x *message) {
	c.began(x.sent, ticks(c.grid.Delay+1))
	c.byte(byte(x.Kind))
	c.byte(x.to)
	c.byte(x.from)
	c.name(x.Session)
	c.name(x.Identity)
	c.epoch(x.Epoch)
	c.rev(x.Revision)
	c.version(x.Version)
	switch x.Kind {
	case core.Hello:
		c.bits(x.HasFloor, x.Eligible, x.Asking, x.Holder != "")
		c.epoch(x.Floor)
		if x.Asking {
			c.question(&w.nodes[x.from], x.Session, x.Seq)
		} else {
			c.question(&w.nodes[x.to], x.Holder, x.Seq)
		}
	case core.Heartbeat:
		c.round(&w.nodes[x.from], x.Session, x.Seq)
		c.number(int64(x.ArbiterLeft))
		c.bits(x.Asking)
	case core.Ack, core.Busy, core.Stale:
		c.name(x.Holder)
		c.round(&w.nodes[x.to], x.Holder, x.Seq)
		c.bits(x.Asking)
	case core.Released:
		c.name(x.Successor)
	case core.HandOver:
		c.name(x.Target)
	}
}

// question writes whether a session still asks what a Hello is about.
func (c *canon) question(n *node, session string, number uint64) {
	c.bits(n.up && n.config.Session == session && asks(&n.state) && n.state.View.Question == number)
}

// round writes which round of a session a message is about: the newest or not,
// and when it was sent. Longer ago than a heartbeat lease, it buys nothing.
func (c *canon) round(n *node, session string, seq uint64) {
	if !n.up || n.config.Session != session {
		c.byte(0)
		return
	}
	l := &n.state.Lead
	r := &l.Rounds[seq%uint64(len(l.Rounds))]
	if r.Seq != seq {
		c.byte(1)
		return
	}
	c.byte(2)
	c.bits(seq == l.Seq, r.Asking)
	c.began(r.Sent, c.heartbeatLease())
}
