package core

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

// A world is a small group of machines around Step, with a store, links and one
// clock. It is deterministic: the same commands give the same text.
type world struct {
	tb     testing.TB
	now    Instant
	queue  []happening
	drawn  uint64 // randomness: every event gets another number
	nodes  []*machine
	store  register
	links  map[[2]*machine]*link
	text   strings.Builder
	hellos bool // print them
	seen   *seen
}

// origin is the instant that a world starts at, and that its text counts from.
const origin = Instant(time.Hour)

// What things take where no command says otherwise.
const (
	onTheWire = time.Millisecond
	toStore   = 10 * time.Millisecond // and the same back
	toDisk    = time.Millisecond
	atHook    = 10 * time.Millisecond // promote and fence
)

// machine is a node with a disk. Its name differs from its node id if it is the
// second one of that id.
type machine struct {
	name     string
	c        Config
	s        State
	standing Standing
	up       bool
	frozen   bool
	life     int     // answers to what an earlier one asked are nobody's
	waiting  []Event // while it is frozen
	disk     disk
	promote  hook
	fence    hook
	save     hook   // of the floor
	store    string // how the store is for this machine alone; empty: as for all
	guarded  Epoch  // what was last printed of the guard
	requests int
	last     map[string]string // what was last printed of a kind of message
}

type disk struct {
	floor Epoch
	known bool
	ran   int // sessions
}

// hook is how a hook answers.
type hook struct {
	takes time.Duration
	fails bool
}

// happening is what the world has still to do.
type happening struct {
	at Instant
	do func()
}

func newWorld(tb testing.TB, seen *seen) *world {
	return &world{tb: tb, now: origin, links: map[[2]*machine]*link{}, seen: seen, store: register{stored: origin}}
}

// after does something later; what was asked first is done first.
func (w *world) after(d time.Duration, do func()) {
	at := w.now.Add(d)
	i := sort.Search(len(w.queue), func(i int) bool { return w.queue[i].at > at })
	w.queue = append(w.queue, happening{})
	copy(w.queue[i+1:], w.queue[i:])
	w.queue[i] = happening{at, do}
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	end := w.now.Add(d)
	for len(w.queue) > 0 && w.queue[0].at <= end {
		h := w.queue[0]
		w.queue = w.queue[1:]
		w.now = h.at
		h.do()
		w.checkGuards()
	}
	w.now = end
	w.checkGuards()
}

// machine returns the one of that name.
func (w *world) machine(name string) *machine {
	for _, m := range w.nodes {
		if m.name == name {
			return m
		}
	}
	w.tb.Fatalf("there is no machine %q", name)
	return nil
}

// start lets a session begin on a machine. previous is the session it may take
// the record back from.
func (w *world) start(m *machine, previous string) {
	m.disk.ran++
	m.c.Session, m.c.Previous = fmt.Sprintf("%s%d", m.name, m.disk.ran), previous
	m.s = New(w.now, m.standing, m.disk.floor, m.disk.known, 0)
	m.up, m.frozen, m.waiting, m.last = true, false, nil, map[string]string{}
	w.wake(m)
	for _, other := range w.nodes {
		if other.up && other != m {
			w.connect(m, other)
		}
	}
}

// crash ends a session. Its machine's kernel closes the connections.
func (w *world) crash(m *machine) {
	m.up, m.frozen = false, false
	m.life++
	w.checkGuards()
	for _, other := range w.nodes {
		if other.up {
			w.arrive(other, onTheWire, Event{Kind: PeerDown, Peer: m.c.Node})
		}
	}
}

// arrive lets an event reach a machine later, if it still runs the same session.
func (w *world) arrive(m *machine, d time.Duration, ev Event) {
	life := m.life
	w.after(d, func() {
		if m.up && m.life == life {
			w.step(m, ev)
		}
	})
}

// wake lets a machine step when it wants to.
func (w *world) wake(m *machine) {
	if m.s.Next == Never {
		return
	}
	life := m.life
	w.after(max(0, m.s.Next.Sub(w.now)), func() {
		if m.up && m.life == life && !m.frozen && m.s.Next <= w.now {
			w.step(m, Event{Kind: Ticked})
		}
	})
}

// step lets one event happen to a machine, or wait until it is thawed.
func (w *world) step(m *machine, ev Event) {
	if m.frozen {
		m.waiting = append(m.waiting, ev)
		return
	}
	w.drawn++
	ev.Random, ev.Wall = [2]uint64{1, w.drawn}, wallAt(w.now)
	if w.now < m.s.Next {
		w.seen.applied(m.s.Phase, ev.Kind)
	}
	for _, a := range Step(&m.c, &m.s, w.now, ev, nil) {
		w.perform(m, a)
	}
	w.checkGuards()
	w.wake(m)
}

// wallAt is the time of day by everybody's clock, Unix milliseconds.
func wallAt(at Instant) int64 { return storeEpoch*1000 + at.Sub(origin).Milliseconds() }

// thaw gives a frozen machine what arrived meanwhile, in order.
func (w *world) thaw(m *machine) {
	m.frozen = false
	waiting := m.waiting
	m.waiting = nil
	for _, ev := range waiting {
		w.step(m, ev)
	}
	w.wake(m)
}

// checkGuards prints guards that have opened or shut, and fails if two are open.
func (w *world) checkGuards() {
	open := ""
	for _, m := range w.nodes {
		epoch, until := m.s.Guard(&m.c)
		if !m.up || w.now >= until {
			epoch = 0
		}
		if epoch != m.guarded && m.guarded != 0 {
			w.say(m, "GUARD SHUTS at epoch %d", m.guarded)
		}
		if epoch != m.guarded && epoch != 0 {
			w.say(m, "GUARD OPENS at epoch %d", epoch)
		}
		m.guarded = epoch
		if epoch == 0 {
			continue
		}
		if open != "" {
			w.tb.Errorf("two leaders: %s and %s\n%s", open, m.name, w.text.String())
		}
		open = m.name
	}
}

// freeze stops a machine's clocks and programs from being looked at; its guard
// shuts all the same.
func (w *world) freeze(m *machine) {
	m.frozen = true
	if epoch, until := m.s.Guard(&m.c); epoch != 0 {
		w.after(until.Sub(w.now), func() {}) // to see it
	}
}

// perform carries an action out.
func (w *world) perform(m *machine, a Action) {
	switch a.Kind {
	case DoRead, DoWrite:
		m.requests++
		w.request(m, a)
	case DoSend:
		w.send(m, a.Peer, a.Message)
	case DoSave:
		w.say(m, "saves floor %d", a.Epoch)
		w.saveFloor(m, a)
	case DoPromote:
		w.say(m, "promotes the service at epoch %d", a.Epoch)
		w.arrive(m, m.promote.takes, Event{Kind: PromoteDone, Op: a.Op, OK: !m.promote.fails})
	case DoFence:
		w.say(m, "fences the service of epoch %d, to be over %s", a.Epoch, w.when(a.Until))
		w.arrive(m, m.fence.takes, Event{Kind: FenceDone, Op: a.Op, OK: !m.fence.fails})
	case DoDemote:
		w.say(m, "demotes the service of epoch %d", a.Epoch)
	case DoFollow:
		w.say(m, "follows %s at epoch %d", a.Peer, a.Epoch)
	case DoAnswer:
		w.seen.reason(a.Reason)
		if a.Reason == "" {
			a.Reason = "done"
		}
		w.say(m, "answers the command: %s", a.Reason)
	case DoTell:
		w.seen.reason(a.Reason)
		w.say(m, "tells: %s", a.Reason)
	case Transition:
		w.seen.transition(a)
		w.say(m, "%s → %s: %s", strings.ToUpper(a.From.String()), strings.ToUpper(a.To.String()), a.Reason)
	default:
		w.tb.Errorf("an action of kind %d", a.Kind)
	}
}

// saveFloor puts an epoch on a machine's disk.
func (w *world) saveFloor(m *machine, a Action) {
	life := m.life
	w.after(m.save.takes, func() {
		if !m.up || m.life != life {
			return
		}
		if !m.save.fails {
			m.disk.floor, m.disk.known = a.Epoch, true
		}
		w.step(m, Event{Kind: FloorSaved, Op: a.Op, OK: !m.save.fails, Epoch: a.Epoch})
	})
}

// say prints a line: when, who, what.
func (w *world) say(m *machine, format string, args ...any) {
	fmt.Fprintf(&w.text, "%8.3f %-2s %s\n", w.now.Sub(origin).Seconds(), m.name, fmt.Sprintf(format, args...))
}

// when says how far away an instant is.
func (w *world) when(at Instant) string {
	switch {
	case at == Never:
		return "never"
	case at <= w.now:
		return "now"
	}
	return fmt.Sprintf("in %.3fs", at.Sub(w.now).Seconds())
}
