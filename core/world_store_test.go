package core

import (
	"fmt"
	"strings"
	"time"
)

// storeEpoch is the store's date when a world starts, Unix seconds.
const storeEpoch = 1_700_000_000

// register is the store: bytes under a version, and what stood there before.
type register struct {
	cell
	older  cell
	count  int
	stored Instant
	ages   bool   // it says how old the record is
	mode   string // how it is for everybody: a key of modes
}

type cell struct {
	bytes   []byte
	version Version
}

// modes are what can become of a request.
var modes = map[string]fate{
	"up":      {there: toStore, back: toStore},
	"slow":    {there: 600 * time.Millisecond, back: 600 * time.Millisecond},
	"down":    {lost: true, silent: true},                      // nothing arrives, nothing is answered
	"silent":  {there: toStore, silent: true},                  // applied, and the answer is lost
	"late":    {there: 10 * time.Second, silent: true},         // applied after the caller gave up
	"refuses": {lost: true, says: Unavailable},                 // at once, and nothing was done
	"denies":  {lost: true, says: Denied},                      //
	"invalid": {lost: true, says: Invalid},                     //
	"busy":    {lost: true, says: Throttled},                   //
	"409":     {lost: true, says: Conflict},                    // to writes: nothing was done, though nobody else wrote
	"retries": {there: toStore, back: toStore, says: Conflict}, // a proxy sent the write twice: done, and answered for the second
	"stale":   {there: toStore, back: toStore, stale: true},    // reads show what was there before
}

// fate is what becomes of a request.
type fate struct {
	there, back time.Duration
	lost        bool    // does not take effect
	silent      bool    // is not answered
	stale       bool    // if it is a read
	says        Outcome // instead of the truth
}

// request sends a read or write to the store.
func (w *world) request(m *machine, a Action) {
	mode := w.store.mode
	if m.store != "" {
		mode = m.store
	}
	if mode == "" {
		mode = "up"
	}
	f := modes[mode]
	ev := &Event{Kind: ReadDone, Op: a.Op, Outcome: Applied}
	effect := func() { w.sample(ev, f.stale) }
	nothing := Unavailable
	if a.Kind == DoWrite {
		ev.Kind = WriteDone
		record := *a.Record
		expected := "nothing"
		if a.Expected != "" {
			expected = string(a.Expected)
		}
		w.say(m, "writes %s %s, expecting %s", intentName(a.Intent), describe(&record), expected)
		effect = func() { w.swap(m, ev, a.Expected, &record) }
		nothing = Unknown
	} else {
		w.say(m, "reads")
		if f.says == Conflict {
			f = modes["up"]
		}
	}
	life := m.life
	answer := func(d time.Duration, say func()) {
		w.after(d, func() {
			if !m.up || m.life != life {
				return
			}
			say()
			w.sayAnswer(m, ev)
			w.step(m, *ev)
		})
	}
	if !f.lost {
		w.after(f.there, effect)
	}
	if f.silent {
		answer(a.Timeout, func() { ev.Outcome, ev.Version, ev.Record, ev.Found = nothing, "", nil, 0 })
		return
	}
	answer(max(onTheWire, f.there+f.back), func() {
		if f.says != 0 {
			ev.Outcome, ev.Version = f.says, ""
		}
	})
}

// swap stores a record iff the version is the expected one.
func (w *world) swap(m *machine, ev *Event, expected Version, r *Record) {
	if expected != w.store.version {
		ev.Outcome = Conflict
		return
	}
	bytes, err := Encode(r)
	if err != nil {
		w.tb.Fatal(err)
	}
	w.put(bytes)
	ev.Version = w.store.version
	if !m.up || m.s.Write.Op != ev.Op {
		fmt.Fprintf(&w.text, "%8.3f    the write of %s has landed late\n", w.now.Sub(origin).Seconds(), m.name)
	}
}

// put stores bytes under a new version.
func (w *world) put(bytes []byte) {
	s := &w.store
	s.older = s.cell
	s.count++
	s.cell = cell{bytes, Version(fmt.Sprintf("v%d", s.count))}
	s.stored = w.now
}

// sample reads what is stored.
func (w *world) sample(ev *Event, stale bool) {
	c := w.store.cell
	if stale {
		c = w.store.older
	}
	ev.StoreDate = storeEpoch + int64(w.now.Sub(origin)/time.Second)
	if c.version == "" {
		ev.Found = FoundAbsent
		return
	}
	r, found, _ := Decode(c.bytes)
	ev.Found, ev.Version = found, c.version
	if found == FoundRecord {
		ev.Record = &r
	}
	if w.store.ages {
		ev.Age = w.now.Sub(w.store.stored).Truncate(time.Second)
	}
}

func (w *world) sayAnswer(m *machine, ev *Event) {
	if m.frozen {
		return
	}
	ignored := ""
	if ev.Op != m.s.Read.Op && ev.Op != m.s.Write.Op {
		ignored = " (too late to count)"
	}
	switch {
	case ev.Outcome != Applied:
		w.say(m, "is answered: %s%s", ev.Outcome, ignored)
	case ev.Kind == WriteDone:
		w.say(m, "is answered: applied as %s%s", ev.Version, ignored)
	case ev.Found == FoundAbsent:
		w.say(m, "has read: no record%s", ignored)
	case ev.Found == FoundRecord:
		w.say(m, "has read %s: %s%s", ev.Version, describe(ev.Record), ignored)
	case ev.Found == FoundCorrupt:
		w.say(m, "has read %s: corrupt%s", ev.Version, ignored)
	case ev.Found == FoundNewer:
		w.say(m, "has read %s: a newer format%s", ev.Version, ignored)
	}
}

// describe prints what of a record decides.
func describe(r *Record) string {
	text := position(r.Position())
	if r.State == Held {
		text += " held by " + r.Session
	} else {
		text += " vacant"
		if r.Successor != "" {
			text += " for " + r.Successor
		}
	}
	return text + " of " + electors(&r.Electors)
}

// electors prints a roster; an identity only where it is not the first machine's.
func electors(r *Roster) string {
	var names []string
	for i := range r.Len {
		e := r.List[i]
		name := e.Node
		if e.Identity != "id-"+e.Node {
			name += "(" + e.Identity + ")"
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, " ") + "}"
}

func intentName(i Intent) string {
	return [...]string{Take: "take", Renew: "renew", Release: "release"}[i]
}
