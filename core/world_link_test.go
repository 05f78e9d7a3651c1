package core

import "fmt"

// link is the way from one machine to another.
type link struct {
	cut    bool // what is sent is lost, and nobody is told
	broken bool // the connection is closed, and both sides know
	holds  bool // what is sent waits
	held   []func()
}

func (w *world) link(from, to *machine) *link {
	l := w.links[[2]*machine{from, to}]
	if l == nil {
		l = &link{}
		w.links[[2]*machine{from, to}] = l
	}
	return l
}

// connect lets two machines' connections come up, unless the link is broken.
func (w *world) connect(a, b *machine) {
	if !a.up || !b.up || w.link(a, b).broken {
		return
	}
	w.arrive(a, onTheWire, Event{Kind: PeerUp, Peer: b.c.Node})
	w.arrive(b, onTheWire, Event{Kind: PeerUp, Peer: a.c.Node})
}

// breakLink closes the connections between two machines.
func (w *world) breakLink(a, b *machine) {
	w.link(a, b).broken, w.link(b, a).broken = true, true
	w.arrive(a, onTheWire, Event{Kind: PeerDown, Peer: b.c.Node})
	w.arrive(b, onTheWire, Event{Kind: PeerDown, Peer: a.c.Node})
}

// heal lets every message through again.
func (w *world) heal() {
	for i, a := range w.nodes {
		for _, b := range w.nodes[i+1:] {
			was := w.link(a, b).broken
			*w.link(a, b), *w.link(b, a) = link{}, link{}
			if was {
				w.connect(a, b)
			}
		}
	}
}

// deliver lets through what was held.
func (w *world) deliver(from, to *machine) {
	l := w.link(from, to)
	l.holds = false
	for _, m := range l.held {
		w.after(onTheWire, m)
	}
	l.held = nil
}

// send sends a message to whoever has that node id.
func (w *world) send(from *machine, node string, m Message) {
	for _, to := range w.nodes {
		if to.c.Node == node && to != from {
			w.sendTo(from, to, m)
		}
	}
}

func (w *world) sendTo(from, to *machine, m Message) {
	l := w.link(from, to)
	lost := l.cut || l.broken || !to.up
	w.sayMessage(from, to, &m, lost)
	if lost {
		return
	}
	ev, ok := Received(&m)
	if !ok {
		w.tb.Errorf("%s sent a message of kind %d", from.name, m.Kind)
	}
	life := to.life
	reach := func() {
		if to.up && to.life == life && !l.cut && !l.broken {
			w.step(to, ev)
		}
	}
	if l.holds {
		l.held = append(l.held, reach)
		return
	}
	w.after(onTheWire, reach)
}

// sayMessage prints a message that matters: a heartbeat or an answer only when
// it says something else than the one before.
func (w *world) sayMessage(from, to *machine, m *Message, lost bool) {
	said, kind, amount := "", "", ""
	switch m.Kind {
	case Hello:
		if !w.hellos {
			return
		}
		said = fmt.Sprintf("hello: knows %s, %s, %s", position(Position{m.Epoch, m.Revision}), floorOf(m), standingOf(m)) + askedOf(m)
	case Heartbeat:
		kind = "heartbeat"
		said = "heartbeat " + position(Position{m.Epoch, m.Revision})
		if !m.Asking {
			said += ", asks nothing"
		}
		if m.ArbiterLeft > 0 {
			said += ", arbiter's authority left"
			amount = fmt.Sprintf(": %.3fs", m.ArbiterLeft.Seconds())
		}
	case Ack:
		kind, said = "answer", fmt.Sprintf("ack of epoch %d", m.Epoch)
		if !m.Asking {
			said += ", promises nothing"
		}
	case Busy:
		kind, said = "answer", "busy: has no floor"
		if m.Epoch != 0 || m.Revision != 0 {
			said = "busy: has a write open on " + position(Position{m.Epoch, m.Revision})
		}
	case Stale:
		kind, said = "answer", fmt.Sprintf("stale: knows epoch %d", m.Epoch)
	case Released:
		said = fmt.Sprintf("released %s %s", position(Position{m.Epoch, m.Revision}), successor(m.Successor))
	case HandOver:
		said = "hand over " + successor(m.Target)
	}
	if lost {
		said += " (lost)"
	}
	if kind != "" {
		key := kind + " to " + to.name
		if from.last[key] == said {
			return
		}
		from.last[key] = said
		if m.Kind == Heartbeat {
			delete(to.last, "answer to "+from.name) // it is worth printing as well
		}
	}
	w.say(from, "⇢ %s %s%s", to.name, said, amount)
}

func successor(node string) string {
	if node == "" {
		return "to anyone"
	}
	return "to " + node
}

func floorOf(m *Message) string {
	if !m.HasFloor {
		return "no floor"
	}
	return fmt.Sprintf("floor %d", m.Floor)
}

func askedOf(m *Message) string {
	switch {
	case m.Asking:
		return ", asks"
	case m.Holder != "":
		return ", answers"
	}
	return ""
}

func standingOf(m *Message) string {
	if !m.Eligible {
		return "does not stand"
	}
	return fmt.Sprintf("stands with priority %d", m.Priority)
}

func position(p Position) string {
	if p == (Position{}) {
		return "nothing"
	}
	return fmt.Sprintf("%d.%d", p.Epoch, p.Revision)
}
