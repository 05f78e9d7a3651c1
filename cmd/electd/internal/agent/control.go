package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport/wire"
)

// GuardReport is what a daemon tells the demo whenever its guard's answer
// changes. Instants are of the clock that all processes of one machine share;
// Epoch 0 means shut.
type GuardReport struct {
	Number   uint64       `json:"number"` // counts up from 1, so that a loss shows
	Election string       `json:"election,omitempty"`
	Epoch    core.Epoch   `json:"epoch"`
	From     core.Instant `json:"from"`           // not after the answer was given
	Until    core.Instant `json:"until"`          // when it ends by itself
	Replaced core.Instant `json:"replaced"`       // the answer before was gone by then
	Echo     bool         `json:"echo,omitempty"` // answers "echo"; nothing else counts then
}

// errOrphan is why a daemon ends whose demo is gone.
var errOrphan = errors.New("the demo that started this daemon is gone")

// control is the demo's line to a daemon it has started: reports of the guard
// go out; "cut NODE", "heal NODE" and "echo" come in. Nothing else can reach it.
// The daemon ends when the line does.
type control struct {
	clock  node.Clock
	orphan func(error)

	mu   sync.Mutex
	line io.ReadWriteCloser
	said uint64 // reports so far
}

func newControl(line io.ReadWriteCloser, w *wire.Transport, orphan func(error)) *control {
	c := &control{line: line, orphan: orphan, clock: node.SystemClock()}
	go c.read(w)
	return c
}

// say writes a report, and waits while the line is full: a report that is lost
// would make the demo's measurement worthless.
func (c *control) say(r GuardReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said++
	r.Number = c.said
	if err := json.NewEncoder(c.line).Encode(r); err != nil {
		c.orphan(errOrphan)
	}
}

func (c *control) read(w *wire.Transport) {
	for lines := bufio.NewScanner(c.line); lines.Scan(); {
		verb, peer, _ := strings.Cut(lines.Text(), " ")
		switch {
		case verb == "echo":
			c.say(GuardReport{Echo: true})
		case w != nil:
			w.Cut(peer, verb == "cut")
		}
	}
	c.orphan(errOrphan)
}

// close hangs up. No observer may be told after it.
func (c *control) close() { c.line.Close() }

func (c *control) observe(election string) node.Observer {
	return &guardReporter{election: election, control: c}
}

// guardReporter reports what one election's guard answers.
type guardReporter struct {
	node.Unobserved
	election string
	control  *control
	last     GuardReport
}

// Guarded reports a change. It is told once the answer before is replaced, so
// the clock now says until when that one can have been given.
func (g *guardReporter) Guarded(now core.Instant, epoch core.Epoch, until core.Instant) {
	if epoch == g.last.Epoch && until == g.last.Until {
		return
	}
	g.last = GuardReport{Election: g.election, Epoch: epoch, From: now, Until: until, Replaced: g.control.clock()}
	g.control.say(g.last)
}
