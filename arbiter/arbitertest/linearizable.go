package arbitertest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/electd/electd/core"
)

// linearizable lets clients read and write a few keys at once, some with too
// little time and, where the harness can, with lost answers, and asks porcupine
// whether one register a key explains all that they were told.
func linearizable(x *exam) {
	const keys = 3
	operations := 24
	if x.h.WriteInterval > 0 {
		operations = 8
	}
	var clients []historian
	for _, a := range x.takers() {
		clients = append(clients, historian{a, nil})
	}
	if x.h.OpenFaulty != nil {
		a, faults := x.openFaulty()
		clients = append(clients, historian{a, faults.LoseAnswer})
	}
	usual := x.latency(clients[0].Arbiter)
	histories := make([]history, keys)
	for k := range histories {
		histories[k] = history{begin: time.Now(), key: x.key(k)}
	}
	x.together(len(clients), func(i int) {
		known := make([]core.Version, keys)
		for n := range operations {
			k := (n + i) % keys
			known[k] = clients[i].act(x, &histories[k], known[k], usual)
		}
	})
	for k := range histories {
		for _, c := range clients {
			c.read(x, &histories[k])
		}
		histories[k].judge(x)
	}
}

// historian is a client whose operations are written down.
type historian struct {
	core.Arbiter
	loseAnswer func() // may be nil
}

// act makes one operation at random and returns the version now known.
func (c historian) act(x *exam, h *history, known core.Version, usual time.Duration) core.Version {
	switch dice := rand.IntN(100); {
	case dice < 45:
		return c.read(x, h)
	case dice < 60: // cut off, perhaps, on its way
		ctx, cancel := context.WithTimeout(x.ctx, rand.N(2*usual))
		defer cancel()
		return c.write(x, ctx, h, known)
	case dice < 70 && c.loseAnswer != nil:
		c.loseAnswer()
		ctx, cancel := x.brief()
		defer cancel()
		return c.write(x, ctx, h, known)
	}
	ctx, cancel := x.timed()
	defer cancel()
	return c.write(x, ctx, h, known)
}

// read makes one read and returns the version it found.
func (c historian) read(x *exam, h *history) core.Version {
	ctx, cancel := x.timed()
	defer cancel()
	call := h.now()
	s, err := x.look(ctx, c, h.key)
	if err != nil {
		return ""
	}
	found := string(s.Record)
	if s.Version == "" {
		found = vacant
	}
	h.add(event{call: call, end: h.now(), version: s.Version, body: found, outcome: core.Applied})
	return s.Version
}

// write makes one write on the version known and returns the new one, or the one
// known if there is none.
func (c historian) write(x *exam, ctx context.Context, h *history, known core.Version) core.Version {
	record := body()
	call := h.now()
	v, err := x.attempt(ctx, c, core.Swap{Key: h.key, Expected: known, Record: record})
	h.add(event{
		write: true, call: call, end: h.now(), expected: known,
		version: v, body: string(record), outcome: core.WriteOutcome(err),
	})
	if err != nil {
		return known
	}
	return v
}

// history is what was done to one key and what was answered.
type history struct {
	key   string
	begin time.Time

	mu     sync.Mutex
	events []event
}

// event is one finished operation: a write, or a read that was answered.
type event struct {
	write     bool
	call, end time.Duration
	expected  core.Version // of a write
	version   core.Version // read, or returned by an applied write
	body      string       // read or written
	outcome   core.Outcome
}

// vacant stands for the body of a record that was never written.
const vacant = ""

// now is the time since the history began.
func (h *history) now() time.Duration { return time.Since(h.begin) }

// add appends one event.
func (h *history) add(e event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// operation is what porcupine sees of one event: a read of body, or a write that
// replaced before by body. A body names a state, since no two are equal.
type operation struct {
	write        bool
	before, body string
}

// register is the model: one value, replaced only where the expected one stands.
var register = porcupine.Model{
	Init: func() any { return vacant },
	Step: func(state, input, _ any) (bool, any) {
		op := input.(operation)
		if !op.write {
			return state == op.body, state
		}
		return state == op.before, op.body
	},
	DescribeOperation: func(input, _ any) string {
		op := input.(operation)
		if op.write {
			return fmt.Sprintf("replace %s by %s", short(op.before), short(op.body))
		}
		return "read " + short(op.body)
	},
}

// short names a body by the end of its write_id.
func short(body string) string {
	if len(body) < 10 {
		return fmt.Sprintf("%q", body)
	}
	return body[len(body)-10 : len(body)-2]
}

// judge asks porcupine. A write of unknown outcome counts iff its body was seen:
// then it took effect at some time after its call; otherwise, wherever it took
// effect, nobody could tell. The same holds for one that was refused, but seeing
// its body is a fault.
func (h *history) judge(x *exam) {
	bodies := h.bodies()
	seen := map[string]bool{}
	for _, e := range h.events {
		switch {
		case !e.write:
			seen[e.body] = true
		case e.outcome == core.Applied:
			seen[bodies[e.expected]] = true
		}
	}
	var operations []porcupine.Operation
	for client, e := range h.events {
		op := operation{e.write, bodies[e.expected], e.body}
		end := int64(e.end)
		switch {
		case e.outcome == core.Applied:
		case !seen[e.body]:
			continue
		case e.outcome == core.Unknown:
			end = math.MaxInt64
		default:
			x.failf("a write was told that it is %v, and yet its record was read", e.outcome)
			continue
		}
		operations = append(operations, porcupine.Operation{
			ClientId: client, Input: op, Call: int64(e.call), Return: end,
		})
	}
	switch porcupine.CheckOperationsTimeout(register, operations, 20*time.Second) {
	case porcupine.Illegal:
		x.failf("no order of these operations explains what was answered:\n%s", describe(operations))
	case porcupine.Unknown:
		x.failf("whether %d operations are linearizable could not be found out in time", len(operations))
	}
}

// bodies returns what each version stood for. The writer knows best; a reader is
// asked about writes whose outcome their writer never learned, unless it read the
// body of another version with it.
func (h *history) bodies() map[core.Version]string {
	bodies := map[core.Version]string{"": vacant}
	versions := map[string]core.Version{vacant: ""}
	for _, e := range h.events {
		if e.write && e.outcome == core.Applied {
			bodies[e.version], versions[e.body] = e.body, e.version
		}
	}
	for _, e := range h.events {
		_, known := bodies[e.version]
		if _, taken := versions[e.body]; !e.write && !known && !taken {
			bodies[e.version] = e.body
		}
	}
	return bodies
}

// describe lists operations in the order of their calls.
func describe(operations []porcupine.Operation) string {
	text := ""
	for _, o := range operations {
		end := time.Duration(o.Return).String()
		if o.Return == math.MaxInt64 {
			end = "?"
		}
		text += fmt.Sprintf("        %12v to %12s: %s\n", time.Duration(o.Call), end, register.DescribeOperation(o.Input, nil))
	}
	return text
}
