package node

import (
	"bufio"
	"encoding/json"
	"io"
	"sync"

	"github.com/electd/electd/core"
)

// Line is one line of a trace, which is NDJSON: first a Config and a State to
// begin with, then one line a step. A Config in the middle is a reload, or stands
// after a Gap, which says how many lines could not be written.
type Line struct {
	Config  *core.Config  `json:"config,omitempty"`
	Now     core.Instant  `json:"now,omitempty"`
	Event   *core.Event   `json:"event,omitempty"`
	Actions []core.Action `json:"actions,omitempty"`
	State   *core.State   `json:"state,omitempty"`
	Gap     int           `json:"gap,omitempty"`
}

// maxLines bounds the lines that wait for a slow trace file.
const maxLines = 1024

// Tracer writes the steps of one election. It never blocks the loop: what the
// file cannot take in time is left out, and the trace says so.
type Tracer struct {
	lines chan []byte
	done  chan struct{}
	gap   int
	close sync.Once
}

// NewTracer returns a tracer that writes to w until Close.
func NewTracer(w io.Writer) *Tracer {
	t := &Tracer{lines: make(chan []byte, maxLines), done: make(chan struct{})}
	go t.write(bufio.NewWriter(w))
	return t
}

func (t *Tracer) write(w *bufio.Writer) {
	defer close(t.done)
	for line := range t.lines {
		w.Write(line)
		if len(t.lines) == 0 {
			w.Flush()
		}
	}
	w.Flush()
}

// Close waits until everything is written. The node must have stopped.
func (t *Tracer) Close() {
	t.close.Do(func() { close(t.lines) })
	<-t.done
}

func (t *Tracer) begin(c *core.Config, s *core.State) {
	if t != nil {
		t.put(Line{Config: c, State: s})
	}
}

// step writes one step. After a gap the line begins the trace anew: the
// configuration may have been in the gap.
func (t *Tracer) step(c *core.Config, now core.Instant, ev *core.Event, actions []core.Action, s *core.State) {
	switch {
	case t == nil:
	case t.gap > 0:
		t.begin(c, s)
	default:
		t.put(Line{Now: now, Event: ev, Actions: actions, State: s})
	}
}

func (t *Tracer) put(l Line) {
	l.Gap = t.gap
	text, err := json.Marshal(l)
	if err != nil {
		t.gap++
		return
	}
	select {
	case t.lines <- append(text, '\n'):
		t.gap = 0
	default:
		t.gap++
	}
}

// recent keeps the last events, to be dumped when an invariant fails. It keeps
// copies in place: every step adds one.
type recent struct {
	kept [8]struct {
		now     core.Instant
		event   core.Event
		message core.Message
	}
	next int
}

func (r *recent) add(now core.Instant, ev *core.Event) {
	k := &r.kept[r.next%len(r.kept)]
	k.now, k.event = now, *ev
	if ev.Message != nil {
		k.message = *ev.Message
		k.event.Message = &k.message
	}
	r.next++
}

// dump returns configuration, state and the last events as NDJSON.
func (r *recent) dump(c *core.Config, s *core.State) []byte {
	out, _ := json.Marshal(Line{Config: c, State: s})
	for i := max(0, r.next-len(r.kept)); i < r.next; i++ {
		k := &r.kept[i%len(r.kept)]
		line, _ := json.Marshal(Line{Now: k.now, Event: &k.event})
		out = append(append(out, '\n'), line...)
	}
	return append(out, '\n')
}
