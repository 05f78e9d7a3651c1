package agent

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport/wire"
)

// GuardReport is what a daemon tells the demo whenever its guard's answer
// changes. From and Until are instants of the clock that all processes of one
// machine share; Epoch 0 means shut.
type GuardReport struct {
	Election string       `json:"election"`
	Epoch    core.Epoch   `json:"epoch"`
	From     core.Instant `json:"from"`
	Until    core.Instant `json:"until"`
}

// control is the demo's line to a daemon it has started: reports of the guard
// go out, "cut NODE" and "heal NODE" come in. Nothing else can reach it.
type control struct {
	line    io.ReadWriteCloser
	reports chan GuardReport
	done    sync.WaitGroup
}

func newControl(line io.ReadWriteCloser, w *wire.Transport) *control {
	c := &control{line: line, reports: make(chan GuardReport, 1024)}
	c.done.Go(c.write)
	go c.read(w)
	return c
}

func (c *control) write() {
	out := json.NewEncoder(c.line)
	for r := range c.reports {
		if out.Encode(r) != nil {
			return
		}
	}
}

func (c *control) read(w *wire.Transport) {
	for lines := bufio.NewScanner(c.line); lines.Scan(); {
		verb, peer, _ := strings.Cut(lines.Text(), " ")
		if w != nil {
			w.Cut(peer, verb == "cut")
		}
	}
}

// close sends what is waiting and hangs up. No observer may be told after it.
func (c *control) close() {
	close(c.reports)
	c.done.Wait()
	c.line.Close()
}

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

// Guarded reports a change. A full line blocks: a report that is lost would make
// the demo's measurement worthless.
func (g *guardReporter) Guarded(now core.Instant, epoch core.Epoch, until core.Instant) {
	if epoch == g.last.Epoch && until == g.last.Until {
		return
	}
	g.last = GuardReport{Election: g.election, Epoch: epoch, From: now, Until: until}
	g.control.reports <- g.last
}
