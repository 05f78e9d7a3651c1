package node_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport"
	network "github.com/electd/electd/transport/memory"
)

// deed is one thing that is done to a group of nodes.
type deed struct {
	what string
	at   int           // index of a node
	to   int           // index of another one
	wait time.Duration // how long, or how much
	pick int
}

func (d deed) String() string {
	return fmt.Sprintf("%s %d %d %s %d", d.what, d.at, d.to, d.wait, d.pick)
}

// deeds that a group of nodes has to live through, by what they are about.
var deeds = []string{
	"sleep", "sleep", "sleep", "sleep", "stand", "stand", "step down", "step down", "admit", "reload",
	"stop", "kill", "start", "start", "store", "store", "heal store", "cut", "heal", "loss",
}

var drawDeed = rapid.Custom(func(t *rapid.T) deed {
	return deed{
		what: rapid.SampledFrom(deeds).Draw(t, "what"),
		at:   rapid.IntRange(0, len(groupNames)-1).Draw(t, "at"),
		to:   rapid.IntRange(0, len(groupNames)-1).Draw(t, "to"),
		wait: time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond,
		pick: rapid.IntRange(0, 100).Draw(t, "pick"),
	}
})

var groupNames = []string{"a", "b", "c"}

// group is a few nodes on one store and one network, and a witness of them.
type group struct {
	store   *arbiter.Store
	network *network.Network
	witness *witness
	random  *rand.Rand
	pending sync.WaitGroup // commands under way

	nodes  map[string]*node.Node
	links  map[string]transport.Transport
	disks  map[string]*disk
	wanted map[string]core.Standing
	timing core.Config
	starts int
}

func newGroup() *group {
	g := &group{
		store: arbiter.NewStore(), witness: newWitness(), random: rand.New(rand.NewPCG(1, 2)),
		network: network.New(network.Config{Nodes: groupNames, Link: network.Link{Delay: time.Millisecond, Jitter: 3 * time.Millisecond}}),
		nodes:   map[string]*node.Node{}, links: map[string]transport.Transport{}, disks: map[string]*disk{}, wanted: map[string]core.Standing{},
		timing: core.Config{
			Election: "orders", ArbiterLease: 30 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
		},
	}
	for _, name := range groupNames {
		g.disks[name], g.wanted[name] = &disk{}, core.Standing{Healthy: true, Priority: 100}
		g.start(name)
	}
	return g
}

// config is a node's configuration at present.
func (g *group) config(name, session string) core.Config {
	c := g.timing
	c.Node, c.Identity, c.Session, c.Previous = name, "id-"+name, session, g.disks[name].previous
	for _, peer := range groupNames {
		if peer != name {
			c.Peers = append(c.Peers, peer)
		}
	}
	return c
}

// rates are how fast the nodes' clocks run: within what the margin is for.
var rates = map[string]float64{"a": 1.001, "b": 1, "c": 0.999}

func clockOf(name string) node.Clock {
	start, rate := time.Now(), rates[name]
	return func() core.Instant {
		return core.Instant(time.Hour).Add(time.Duration(float64(time.Since(start)) * rate))
	}
}

func (g *group) start(name string) {
	if g.nodes[name] != nil {
		return
	}
	g.starts++
	session := fmt.Sprintf("%s-%d", name, g.starts)
	config := g.config(name, session)
	d := g.disks[name]
	d.previous = session
	g.links[name] = g.network.Node(name)
	n, err := node.Start(node.Config{
		Core: config, Standing: g.wanted[name], Floor: d.floor, FloorKnown: d.known,
		Arbiter: g.store.Client(name), Transport: g.links[name], Disk: d, Observer: g.witness.of(name, session),
		Clock: clockOf(name), Random: rand.New(rand.NewPCG(3, uint64(g.starts))),
	})
	if err != nil {
		panic(err)
	}
	g.nodes[name] = n
}

// gone takes a node that was ended off the network.
func (g *group) gone(name string) {
	g.links[name].Close()
	delete(g.nodes, name)
}

// fates is what the store does to a call, by the pick of a deed.
func (g *group) fates(pick int, wait time.Duration) func(arbiter.Call) arbiter.Fate {
	random := rand.New(rand.NewPCG(uint64(pick), uint64(wait)))
	all := []func() arbiter.Fate{
		arbiter.Pass,
		arbiter.Drop,
		arbiter.LoseAnswer,
		func() arbiter.Fate { return arbiter.Slow(wait/40, wait/40) },
		func() arbiter.Fate { return arbiter.Late(wait) },
		func() arbiter.Fate { return arbiter.Refuse(core.ErrUnavailable) },
		func() arbiter.Fate { return arbiter.Refuse(core.ErrThrottled) },
		func() arbiter.Fate { return arbiter.Refuse(core.ErrDenied) },
		func() arbiter.Fate { return arbiter.Answer(core.ErrConflict) },
		func() arbiter.Fate { return arbiter.Answer(errors.New("connection reset")) },
	}
	return func(arbiter.Call) arbiter.Fate {
		if pick%2 == 0 {
			return all[pick%len(all)]() // always the same
		}
		return all[random.IntN(len(all))]()
	}
}

// do does a deed.
func (g *group) do(d deed) {
	name, other := groupNames[d.at], groupNames[d.to]
	n := g.nodes[name]
	switch d.what {
	case "sleep":
		time.Sleep(d.wait / time.Duration(1+d.pick%20))
		return
	case "start":
		g.start(name)
		return
	case "store":
		g.store.Plan(g.fates(d.pick, d.wait))
		return
	case "heal store":
		g.store.Plan(nil)
		return
	case "cut", "heal", "loss":
		g.link(d.what, name, other, d.pick)
		return
	}
	if n == nil {
		return
	}
	switch d.what {
	case "stand":
		g.wanted[name] = core.Standing{Healthy: d.pick%4 != 0, Paused: d.pick%5 == 0, Priority: d.pick % 3 * 50}
		n.Stand(g.wanted[name])
	case "step down":
		g.stepDown(n, []string{"", other, "nobody"}[d.pick%3])
	case "admit":
		n.Admit()
	case "reload":
		g.timing.HeartbeatLease = []time.Duration{1500 * time.Millisecond, time.Second, 4 * time.Second}[d.pick%3]
		g.timing.ArbiterLease = []time.Duration{30 * time.Second, 10 * time.Second}[d.pick%2]
		for name, n := range g.nodes {
			n.Reload(g.config(name, ""))
		}
	case "kill":
		n.Abandon()
		g.gone(name)
	case "stop":
		g.stop(n, d.wait/10)
		g.gone(name)
	}
}

func (g *group) link(what, from, to string, pick int) {
	if from == to {
		return
	}
	switch what {
	case "cut":
		g.network.Cut(from, to)
	case "heal":
		g.network.Heal(from, to)
	case "loss":
		g.network.SetLink(from, to, network.Link{
			Delay: time.Duration(pick) * time.Millisecond, Jitter: time.Duration(pick) * time.Millisecond,
			Loss: float64(pick%4) / 10, Duplicate: 0.1,
		})
	}
}

// stepDown asks in the background; the answer must come by its deadline.
func (g *group) stepDown(n *node.Node, target string) {
	g.pending.Go(func() {
		const limit = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		asked := time.Now()
		_ = n.StepDown(ctx, target) // it may well be refused
		if took := time.Since(asked); took > limit {
			g.witness.complain("a step-down was answered after %s", took)
		}
	})
}

// stop ends a node in good order; within the time it is given, or with an error,
// its guard is shut.
func (g *group) stop(n *node.Node, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	asked := time.Now()
	err := n.Stop(ctx)
	// Calls under way may still be answered a little past their deadline.
	if took := time.Since(asked); took > limit+100*time.Millisecond {
		g.witness.complain("a stop that had %s took %s", limit, took)
	}
	if _, open := n.Guard().Check(); open == nil {
		g.witness.complain("the guard of a stopped node is open")
	}
	if err == nil && n.StepDown(context.Background(), "") == nil {
		g.witness.complain("a stopped node stepped down")
	}
}

// recover heals everything and waits for a leader.
func (g *group) recover() {
	g.store.Plan(nil)
	for _, from := range groupNames {
		for _, to := range groupNames {
			g.link("heal", from, to, 0)
			g.link("loss", from, to, 0)
		}
		g.wanted[from] = core.Standing{Healthy: true, Priority: 100}
		g.start(from)
		g.nodes[from].Stand(g.wanted[from])
	}
	// A lease, an election that a stray write has delayed, and a failed one.
	for range 200 {
		time.Sleep(time.Second)
		for _, n := range g.nodes {
			if _, err := n.Guard().Check(); err == nil {
				return
			}
		}
	}
	var status []string
	for _, n := range g.nodes {
		status = append(status, fmt.Sprintf("%+v", n.Status()))
	}
	g.witness.complain("nobody leads long after all is well:\n%s", strings.Join(status, "\n"))
}

// end ends all nodes, with nothing left that runs.
func (g *group) end() {
	for name, n := range g.nodes {
		n.Abandon()
		g.gone(name)
	}
	g.pending.Wait()
}

// TestRandomDeeds calls a node's API in any order, under faults of the store and
// of the network, and has a witness look for two open guards.
func TestRandomDeeds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfN(drawDeed, 1, 60).Draw(r, "deeds")
		var wrong []string
		synctest.Test(t, func(*testing.T) {
			g := newGroup()
			for _, d := range all {
				g.do(d)
			}
			g.recover()
			g.end()
			wrong = g.witness.verdict()
		})
		if len(wrong) > 0 {
			r.Fatalf("%s", strings.Join(wrong, "\n"))
		}
	})
}
