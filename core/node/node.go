package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
)

// Config is everything one election on one node needs. Arbiter and Disk are
// required; the zero value of every other field is a sensible default.
type Config struct {
	Core       core.Config
	Standing   core.Standing
	Floor      core.Epoch // as found on disk
	FloorKnown bool

	Arbiter   core.Arbiter
	Key       string              // of the record; Key(election) if empty
	Transport transport.Transport // nil if there are no peers
	Disk      Disk
	Service   Service
	Observer  Observer
	Clock     Clock
	Random    *rand.Rand
	Trace     *Tracer // nil traces nothing
}

// Key is where the record of an election is stored (design 3.2), below the
// arbiter's own prefix.
func Key(election string) string { return election + "/lease.json" }

// Node runs one election until it is stopped.
type Node struct {
	election  string
	arbiter   core.Arbiter
	key       string
	transport transport.Transport
	floors    floors
	service   Service
	observer  Observer
	clock     Clock
	random    *rand.Rand
	trace     *Tracer
	recent    recent

	guard   Guard
	inbox   inbox
	timer   *time.Timer // of the next turn
	leave   func()      // the transport
	ctx     context.Context
	cancel  context.CancelFunc // ends ctx, and with it every call under way
	running sync.WaitGroup     // the calls
	ending  sync.Once
	done    chan struct{} // closed when all is over

	mu       sync.Mutex // held during a step and while reading what follows
	config   core.Config
	state    core.State
	broken   error
	commands map[core.OpID]chan core.Reason
	lastCmd  core.OpID
	idle     chan struct{} // closed when a shutdown has nothing left to do
	calls    Calls
	written  chan struct{} // closed when a newer write is known applied
	wrote    core.Instant
}

// ErrStopped is what a stopped node answers.
var ErrStopped = errors.New("this election is not running")

// Start starts the election.
func Start(c Config) (*Node, error) {
	switch {
	case c.Arbiter == nil || c.Disk == nil:
		return nil, errors.New("an election needs an arbiter and a disk for its floor")
	case len(c.Core.Peers) > core.MaxPeers:
		return nil, fmt.Errorf("election %q has %d peers, at most %d are possible", c.Core.Election, len(c.Core.Peers), core.MaxPeers)
	case len(c.Core.Peers) > 0 && c.Transport == nil:
		return nil, fmt.Errorf("election %q has peers but no transport", c.Core.Election)
	}
	if err := workable(&c.Core); err != nil {
		return nil, fmt.Errorf("election %q: %w", c.Core.Election, err)
	}
	n := &Node{
		election: c.Core.Election, arbiter: c.Arbiter, key: c.Key, transport: c.Transport, floors: floors{disk: c.Disk},
		service: c.Service, observer: c.Observer, clock: c.Clock, random: c.Random, trace: c.Trace,
		done: make(chan struct{}), idle: make(chan struct{}), written: make(chan struct{}),
		config: c.Core, commands: map[core.OpID]chan core.Reason{}, leave: func() {},
	}
	if n.key == "" {
		n.key = Key(c.Core.Election)
	}
	if n.service == nil {
		n.service = Bare{}
	}
	if n.observer == nil {
		n.observer = Unobserved{}
	}
	if n.clock == nil {
		n.clock = SystemClock()
	}
	if n.random == nil {
		n.random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	n.guard.renew = func() { n.put(core.Event{Kind: core.RenewAsked}) }
	n.state = core.New(n.clock(), c.Standing, c.Floor, c.FloorKnown, n.random.Uint64())
	n.trace.begin(&n.config, &n.state)

	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.timer = time.AfterFunc(math.MaxInt64, n.tick)
	if n.transport != nil {
		n.leave = n.transport.Join(c.Core.Election, handler{n})
	}
	if w, ok := n.arbiter.(core.Watcher); ok {
		n.running.Go(func() { n.watch(w, c.Core.ArbiterTimeout) })
	}
	n.put(core.Event{Kind: core.Ticked})
	return n, nil
}

// workable says what timings could never work, whatever else is configured.
func workable(c *core.Config) error {
	if c.HeartbeatInterval <= 0 || c.HeartbeatLease <= c.FenceMargin || c.ArbiterLease <= c.FenceMargin || c.ArbiterTimeout <= 0 {
		return fmt.Errorf("timings that cannot work: interval %s, heartbeat lease %s, arbiter lease %s, margin %s, arbiter timeout %s",
			c.HeartbeatInterval, c.HeartbeatLease, c.ArbiterLease, c.FenceMargin, c.ArbiterTimeout)
	}
	return nil
}

// Guard returns the guard of this election.
func (n *Node) Guard() *Guard { return &n.guard }

// Done is closed when the election runs no more.
func (n *Node) Done() <-chan struct{} { return n.done }

// Stop shuts the election down: it releases what it holds, waits for that until
// ctx ends, and then stops. It returns ctx's error if the lease could not be
// released in time.
func (n *Node) Stop(ctx context.Context) error {
	n.put(core.Event{Kind: core.ShutdownAsked})
	var err error
	select {
	case <-n.idle:
	case <-n.done:
	case <-ctx.Done():
		err = fmt.Errorf("election %q was not released: %w", n.election, ctx.Err())
	}
	n.end()
	return err
}

// Abandon stops the election without releasing anything, as a crash would.
func (n *Node) Abandon() { n.end() }

// end ends all turns and calls, and shuts the guard for good.
func (n *Node) end() {
	n.ending.Do(func() {
		n.leave()
		n.cancel()
		n.inbox.close()
		n.timer.Stop()
		n.shut()
		n.running.Wait()
		close(n.done)
	})
	<-n.done
}

// step makes one step and publishes what follows from it for the guard.
func (n *Node) step(ev *core.Event, actions []core.Action) (out []core.Action) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken != nil {
		return actions
	}
	ev.Random = [2]uint64{n.random.Uint64(), n.random.Uint64()}
	at := time.Now() // before now is read: the guard must not gain by it
	now := n.clock()
	ev.Wall = at.UnixMilli()
	defer func() {
		if r := recover(); r != nil {
			out = n.breakDown(r, now, ev)
		}
	}()
	if ev.Kind == core.Ticked && n.state.Next < now {
		n.observer.Late(now.Sub(n.state.Next))
	}
	n.measure(now, ev)
	out = core.Step(&n.config, &n.state, now, *ev, actions)
	n.trace.step(&n.config, now, ev, out, &n.state)
	n.recent.add(now, ev)
	n.publish(at, now)
	return out
}

// settled reports whether a node that shuts down has nothing left to do.
func (n *Node) settled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state.Shutdown && !n.state.Phase.Holds() && !n.state.Write.Open && n.state.Lead.Service == core.Passive
}

func (n *Node) signalIdle() {
	select {
	case <-n.idle:
	default:
		close(n.idle)
	}
}

// publish opens or shuts the guard and extends the service's authority. The two
// clocks were read together, at first.
func (n *Node) publish(at time.Time, now core.Instant) {
	if n.state.Lead.WrittenAt != n.wrote {
		n.wrote = n.state.Lead.WrittenAt
		n.written = make(chan struct{})
	}
	epoch, until := n.state.Guard(&n.config)
	o := &opening{epoch: epoch, at: at, wall: at.UnixNano(), changed: n.written}
	if epoch != 0 {
		o.left = until.Sub(now)
		o.written = now.Sub(n.wrote)
	}
	n.guard.publish(o)
	n.observer.Guarded(now, epoch, until)
	if n.state.Phase == core.Promoting || n.state.Phase == core.Leading {
		n.service.Extend(n.state.Authority(&n.config))
	}
}

// shut closes the guard for good.
func (n *Node) shut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken == nil {
		n.broken = ErrStopped
	}
	n.guard.publish(&opening{changed: make(chan struct{})})
	n.observer.Guarded(n.clock(), 0, 0)
	n.refuseCommands(ErrStopped)
}

// refuseCommands answers every command that waits.
func (n *Node) refuseCommands(why error) {
	for op, answer := range n.commands {
		answer <- core.Reason(why.Error())
		delete(n.commands, op)
	}
}

// breakDown is what happens when an invariant fails: the guard shuts, the
// service is stopped, state and recent events are dumped, and this election
// steps no more. Others run on.
func (n *Node) breakDown(cause any, now core.Instant, ev *core.Event) []core.Action {
	err, ok := cause.(error)
	if !ok {
		err = fmt.Errorf("%v", cause)
	}
	n.broken = fmt.Errorf("election %q is broken: %w", n.config.Election, err)
	n.recent.add(now, ev)
	n.guard.publish(&opening{changed: make(chan struct{})})
	n.observer.Guarded(now, 0, 0)
	n.service.Fence(n.state.View.Record.Epoch, n.state.Authority(&n.config), func(bool) {})
	n.refuseCommands(n.broken)
	n.observer.Broken(n.broken, n.recent.dump(&n.config, &n.state))
	n.signalIdle()
	return nil
}
