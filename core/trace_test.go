package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestTraces tells the stories in testdata/traces. Each is a script for a world
// with the text that it gives; -rewrite writes that text anew.
func TestTraces(t *testing.T) {
	all := newSeen(t)
	datadriven.Walk(t, "testdata/traces", func(t *testing.T, path string) {
		w := newWorld(t, all)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.tb = t
			return w.script(d)
		})
	})
	if t.Failed() {
		return // a story ends where it differs, and has not shown the rest
	}
	t.Run("complete", all.checkComplete)
	t.Run("phases.md", all.comparePhases)
}

// script carries out the commands of one directive, one a line.
func (w *world) script(d *datadriven.TestData) string {
	w.text.Reset()
	w.command(d.Cmd, d.CmdArgs)
	for line := range strings.Lines(d.Input) {
		cmd, args, err := datadriven.ParseLine(line)
		if err != nil {
			d.Fatalf(w.tb, "%v", err)
		}
		w.command(cmd, args)
	}
	w.run(0)
	return w.text.String()
}

// command carries out one command. Names come first, options after.
func (w *world) command(cmd string, args []datadriven.CmdArg) {
	var names []string
	options := map[string]string{}
	for _, a := range args {
		switch len(a.Vals) {
		case 0:
			names = append(names, a.Key)
		case 1:
			options[a.Key] = a.Vals[0]
		default:
			w.tb.Fatalf("%s: %s has %d values", cmd, a.Key, len(a.Vals))
		}
	}
	do, ok := commands[cmd]
	if !ok {
		w.tb.Fatalf("no command %q", cmd)
	}
	do(w, names, options)
	for name := range options {
		w.tb.Fatalf("%s: no option %q", cmd, name)
	}
}

type options = map[string]string

// commands do one thing each. An option that is used is deleted.
var commands map[string]func(w *world, names []string, o options)

func init() { // the commands use commands
	commands = map[string]func(w *world, names []string, o options){
		"nodes":   (*world).doNodes,
		"settled": (*world).doSettled,
		"start":   (*world).doStart,
		"restart": (*world).doRestart,
		"run":     func(w *world, names []string, _ options) { w.run(w.duration(names[0])) },
		"crash":   each(func(w *world, m *machine) { w.crash(m) }),
		"freeze":  each(func(w *world, m *machine) { w.freeze(m) }),
		"thaw":    each(func(w *world, m *machine) { w.thaw(m) }),

		"cut":     pair(func(w *world, a, b *machine) { w.link(a, b).cut, w.link(b, a).cut = true, true }),
		"deafen":  pair(func(w *world, a, b *machine) { w.link(b, a).cut = true }),
		"break":   pair(func(w *world, a, b *machine) { w.breakLink(a, b) }),
		"hold":    pair(func(w *world, a, b *machine) { w.link(a, b).holds = true }),
		"deliver": pair(func(w *world, a, b *machine) { w.deliver(a, b) }),
		"heal":    func(w *world, _ []string, _ options) { w.heal() },

		"store":    (*world).doStore,
		"delete":   func(w *world, _ []string, _ options) { w.store.older, w.store.cell = w.store.cell, cell{} },
		"rollback": func(w *world, _ []string, _ options) { w.put(w.store.older.bytes) },
		"put":      (*world).doPut,

		"step-down": (*world).doStepDown,
		"standing":  (*world).doStanding,
		"reload":    (*world).doReload,
		"admit":     event(AdmitForced),
		"renew":     event(RenewAsked),
		"hint":      event(Hinted),
		"shutdown":  event(ShutdownAsked),
		"end":       event(ServiceEnded),
		"hook":      (*world).doHook,
		"disk":      (*world).doDisk,

		"requests": (*world).doRequests,
		"state":    each(func(w *world, m *machine) { w.sayState(m) }),
		"hellos":   func(w *world, _ []string, _ options) { w.hellos = true },
	}
}

func each(do func(w *world, m *machine)) func(*world, []string, options) {
	return func(w *world, names []string, _ options) {
		for _, name := range names {
			do(w, w.machine(name))
		}
	}
}

func pair(do func(w *world, a, b *machine)) func(*world, []string, options) {
	return func(w *world, names []string, _ options) { do(w, w.machine(names[0]), w.machine(names[1])) }
}

func event(kind EventKind) func(*world, []string, options) {
	return each(func(w *world, m *machine) { w.step(m, Event{Kind: kind}) })
}

func (w *world) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		w.tb.Fatal(err)
	}
	return d
}

// option takes an option's value, or the one given.
func option(o options, name, otherwise string) string {
	value, ok := o[name]
	if !ok {
		return otherwise
	}
	delete(o, name)
	return value
}

// doSettled starts machines on an empty store and lets ten seconds pass.
func (w *world) doSettled(names []string, o options) {
	w.doNodes(names, o)
	w.doStart(names, options{})
	w.run(10 * time.Second)
	w.text.Reset()
	for _, m := range w.nodes {
		m.requests = 0
		w.say(m, "%s", Explain(&m.c, &m.s, w.now))
	}
}

// doNodes names the machines of a new world: "a b", each a peer of every other
// one unless peers=none; "b/2" is a second machine of the node b.
func (w *world) doNodes(names []string, o options) {
	*w = *newWorld(w.tb, w.seen)
	alone := option(o, "peers", "") == "none"
	arbiterLease := w.duration(option(o, "arbiter-lease", "30s"))
	heartbeatLease := w.duration(option(o, "heartbeat-lease", "1500ms"))
	for _, name := range names {
		node, second, _ := strings.Cut(name, "/")
		m := &machine{
			name: node + second, standing: Standing{Healthy: true, Priority: 1}, last: map[string]string{},
			promote: hook{takes: atHook}, fence: hook{takes: atHook}, save: hook{takes: toDisk},
		}
		m.c = Config{
			Election: "orders", Node: node, Identity: "id-" + m.name,
			ArbiterLease: arbiterLease, HeartbeatLease: heartbeatLease, HeartbeatInterval: heartbeatLease / 3,
			FenceMargin: heartbeatLease / 3, ArbiterTimeout: 2 * time.Second,
		}
		w.nodes = append(w.nodes, m)
	}
	for _, m := range w.nodes {
		m.c.Peers = nil
		for _, other := range w.nodes {
			if !alone && other.c.Node != m.c.Node && !slices.Contains(m.c.Peers, other.c.Node) {
				m.c.Peers = append(m.c.Peers, other.c.Node)
			}
		}
	}
}

func (w *world) doStart(names []string, o options) {
	priority, err := strconv.Atoi(option(o, "priority", "1"))
	if err != nil {
		w.tb.Fatal(err)
	}
	for _, name := range names {
		m := w.machine(name)
		m.standing.Priority = priority
		w.start(m, "")
	}
}

// doRestart starts another session. The one before is proven dead unless
// dead=unproven; disk=lost forgets identity and floor.
func (w *world) doRestart(names []string, o options) {
	unproven := option(o, "dead", "proven") == "unproven"
	lost := option(o, "disk", "kept") == "lost"
	for _, name := range names {
		m := w.machine(name)
		previous := m.c.Session
		if lost {
			m.disk.floor, m.disk.known = 0, false
			m.c.Identity = fmt.Sprintf("id-%s-%d", m.name, m.disk.ran+1)
		}
		if lost || unproven {
			previous = ""
		}
		w.start(m, previous)
	}
}

// doStore sets how the store is, for all or for=a machine.
func (w *world) doStore(names []string, o options) {
	for _, mode := range names {
		if mode == "ages" {
			w.store.ages = true
			continue
		}
		if _, ok := modes[mode]; !ok {
			w.tb.Fatalf("store: no mode %q", mode)
		}
		if name := option(o, "for", ""); name != "" {
			w.machine(name).store = mode
			continue
		}
		w.store.mode = mode
		for _, m := range w.nodes {
			m.store = ""
		}
	}
}

// doPut stores what no node of this version wrote.
func (w *world) doPut(names []string, _ options) {
	switch names[0] {
	case "corrupt":
		w.put([]byte("<html>504 Gateway Timeout</html>"))
	case "newer":
		w.put([]byte(`{"format":2}`))
	default:
		w.tb.Fatalf("put: no %q", names[0])
	}
}

func (w *world) doStepDown(names []string, o options) {
	target := option(o, "to", "")
	for _, name := range names {
		m := w.machine(name)
		w.step(m, Event{Kind: StepDownAsked, Op: 1 << 40, Target: target})
	}
}

func (w *world) doStanding(names []string, o options) {
	s := w.machine(names[0]).standing
	s.Healthy = option(o, "healthy", strconv.FormatBool(s.Healthy)) == "true"
	s.Paused = option(o, "paused", strconv.FormatBool(s.Paused)) == "true"
	m := w.machine(names[0])
	m.standing = s
	w.step(m, Event{Kind: StandingChanged, Standing: s})
}

func (w *world) doReload(names []string, o options) {
	m := w.machine(names[0])
	m.c.ArbiterLease = w.duration(option(o, "arbiter-lease", m.c.ArbiterLease.String()))
	m.c.HeartbeatLease = w.duration(option(o, "heartbeat-lease", m.c.HeartbeatLease.String()))
	w.step(m, Event{Kind: Reloaded})
}

func (w *world) doHook(names []string, o options) {
	m := w.machine(names[0])
	h := map[string]*hook{"promote": &m.promote, "fence": &m.fence, "save": &m.save}[names[1]]
	h.takes = w.duration(option(o, "takes", h.takes.String()))
	h.fails = option(o, "fails", strconv.FormatBool(h.fails)) == "true"
}

// doDisk replaces the disk of a machine that is down by one that has seen more.
func (w *world) doDisk(names []string, o options) {
	floor, err := strconv.Atoi(option(o, "floor", "0"))
	if err != nil {
		w.tb.Fatal(err)
	}
	w.machine(names[0]).disk.floor = Epoch(floor)
}

// doRequests prints what each machine asked of the store since it was last asked.
func (w *world) doRequests(_ []string, _ options) {
	for _, m := range w.nodes {
		w.say(m, "requests to the store: %d", m.requests)
		m.requests = 0
	}
}

func (w *world) sayState(m *machine) {
	s := &m.s
	t := turn{State: s, c: &m.c, now: w.now}
	w.say(m, "%s", Explain(&m.c, s, w.now))
	if s.Phase.Holds() {
		w.say(m, "   authority ends %s: from the arbiter %s, from the electors %s",
			w.when(s.Authority(&m.c)), w.when(s.Lead.ArbiterUntil), w.when(t.beatsUntil(&m.c)))
	} else {
		w.say(m, "   promised until %s, the holder is free %s, may take %s",
			w.when(s.Vow.Until), w.when(s.View.FreeAt), w.when(t.freeForTake()))
	}
	floor := "none"
	if s.Floor.Known {
		floor = strconv.Itoa(int(s.Floor.Epoch))
	}
	w.say(m, "   knows %s of %s, floor %s, record %s", position(s.View.Heard), electors(&s.View.Record.Electors), floor, s.View.Version)
	if s.Write.Open {
		w.say(m, "   has a write open: %s, %d attempts", describe(&s.Write.Proposal), s.Write.Len)
	}
}
