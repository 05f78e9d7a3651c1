package client

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotLeading is what a shut guard answers.
var ErrNotLeading = errors.New("this program may not act: its node does not lead, or the daemon's word for it is too old")

// Guard answers "may I act now?" in a program beside the daemon. It asks the
// daemon again and again, is open only for as long as each answer says, counted
// from before the question was sent, and is shut by this process's own clock: a
// frozen, late or dead daemon cannot leave it open, nor can a frozen program
// find it so. When the daemon gives up leadership the guard shuts at once, and
// the daemon waits with the release, for as long as its last answer was good,
// until nothing acts on it any more.
type Guard struct {
	client   *Client
	election string
	current  atomic.Pointer[opening]

	stop    context.CancelFunc
	running sync.WaitGroup
	news    chan struct{} // ask the daemon now

	mu      sync.Mutex
	holding *holding
}

// opening is one immutable answer. With epoch zero it is shut.
type opening struct {
	holding  *holding
	epoch    uint64
	sent     moment        // when the question left
	left     time.Duration // how long the guard is open from there
	why      string
	replaced chan struct{} // closed when there is another one
}

func (o *opening) open() bool { return o.epoch != 0 && o.sent.since() < o.left }

// Guard returns a guard of an election, which starts shut and opens once the
// daemon says so. Close it.
func (c *Client) Guard(election string) *Guard {
	ctx, stop := context.WithCancel(context.Background())
	g := &Guard{client: c, election: election, stop: stop, news: make(chan struct{}, 1), holding: newHolding()}
	g.current.Store(&opening{holding: g.holding, why: "the daemon has not answered yet", replaced: make(chan struct{})})
	g.running.Go(func() { g.ask(ctx) })
	g.running.Go(func() { g.listen(ctx) })
	return g
}

// Check returns the epoch at which this program may act now, or ErrNotLeading.
// It takes no lock and allocates nothing. Act before calling it again: the
// answer is about now.
func (g *Guard) Check() (epoch uint64, err error) {
	o := g.current.Load()
	if !o.open() {
		return 0, ErrNotLeading
	}
	return o.epoch, nil
}

// Why says in one sentence why the guard is as it is.
func (g *Guard) Why() string {
	o := g.current.Load()
	if o.epoch != 0 && !o.open() {
		return "the daemon's last word that its node leads is too old"
	}
	return o.why
}

// Do calls fn with the epoch if the guard is open, and checks again before it
// returns, so that nobody is told of success whose leader was deposed meanwhile.
// What fn has done by then must be fenced by the epoch itself.
func (g *Guard) Do(fn func(epoch uint64) error) error {
	o := g.current.Load()
	o.holding.begin()
	defer o.holding.end()
	if !g.stillOpen(o) {
		return ErrNotLeading
	}
	if err := fn(o.epoch); err != nil {
		return err
	}
	if !g.stillOpen(o) {
		return ErrNotLeading
	}
	return nil
}

// stillOpen reports whether the guard is open, in the same holding as o.
func (g *Guard) stillOpen(o *opening) bool {
	after := g.current.Load()
	return after.holding == o.holding && after.epoch == o.epoch && after.open()
}

// Close shuts the guard and tells the daemon. RunWhileLeading must have returned.
func (g *Guard) Close() {
	g.stop()
	g.shut("this guard is closed")
	g.running.Wait()
}

// The pace of questions to the daemon: a quarter of what its last answer is good
// for while the guard is open, else slowly, as its events tell when to ask.
const (
	pacePart    = 4
	shortestGap = 5 * time.Millisecond
	longestGap  = time.Second
)

// longestWord is how long a daemon's word can be good for at all, in milliseconds.
const longestWord = int64(math.MaxInt64 / time.Millisecond)

// ask keeps the guard open.
func (g *Guard) ask(ctx context.Context) {
	for {
		gap := longestGap
		if left := g.question(ctx); left > 0 {
			gap = min(max(left/pacePart, shortestGap), longestGap)
		}
		select {
		case <-ctx.Done():
			return
		case <-g.news:
		case <-time.After(gap):
		}
	}
}

// question asks once and returns how long the answer is good for.
func (g *Guard) question(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, longestGap)
	defer cancel()
	g.mu.Lock()
	h := g.holding
	g.mu.Unlock()
	sent := now()
	p, err := call[Permit](ctx, g.client, http.MethodPut, g.path(h), nil)
	switch {
	case err != nil:
		g.fail(err)
		return 0
	case p.Epoch == 0 || p.ValidForMS <= 0:
		g.shut(p.Why)
		return 0
	}
	left := time.Duration(min(p.ValidForMS, longestWord)) * time.Millisecond
	g.publish(&opening{holding: h, epoch: p.Epoch, sent: sent, left: left, why: p.Why})
	return left
}

func (g *Guard) path(h *holding) string {
	return electionPath(g.election, "guards/"+h.id)
}

// publish opens the guard unless what the answer was about is over.
func (g *Guard) publish(o *opening) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o.holding == g.holding {
		g.replace(o)
	}
}

// fail notes why there is no answer; how long the last one is good for stands.
func (g *Guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.current.Load(); o.epoch == 0 {
		g.replace(&opening{holding: o.holding, why: "the daemon does not answer: " + err.Error()})
	}
}

// shut shuts the guard, and tells the daemon once what acts on it has ended.
// Answers to questions asked before count no more.
func (g *Guard) shut(why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.current.Load()
	if before.epoch == 0 {
		g.replace(&opening{holding: before.holding, why: why})
		return
	}
	over := g.holding
	g.holding = newHolding()
	g.replace(&opening{holding: g.holding, why: why})
	g.running.Go(func() { g.leave(over, before) })
}

// replace puts another answer in the place of the present one.
func (g *Guard) replace(o *opening) {
	o.replaced = make(chan struct{})
	close(g.current.Swap(o).replaced)
}

// leave tells the daemon that nothing acts on its word any more. Past the end of
// that word it does not wait for it.
func (g *Guard) leave(h *holding, last *opening) {
	left := last.left - last.sent.since()
	if left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	if h.idle(ctx) {
		call[Done](ctx, g.client, http.MethodDelete, g.path(h), nil) // it waits no longer than left in any case
	}
}

// listen has the daemon asked when leadership changes, and shuts the guard as
// soon as this node gives it up.
func (g *Guard) listen(ctx context.Context) {
	for e, err := range g.client.Events(ctx, Latest, g.election) {
		if err == nil && e.Transition != nil && e.Transition.From == phaseLeading {
			g.shut(e.Transition.Reason)
		}
		select {
		case g.news <- struct{}{}:
		default:
		}
	}
}

// phaseLeading is the phase in which a node may act.
const phaseLeading = "leading"

// holding is one time from the guard's opening to its shutting. It counts what
// acts on it.
type holding struct {
	id   string
	mu   sync.Mutex
	acts int
	none chan struct{} // closed when acts falls to zero; nil if nobody waits
}

func newHolding() *holding { return &holding{id: rand.Text()} }

func (h *holding) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts++
}

func (h *holding) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts--
	if h.acts == 0 && h.none != nil {
		close(h.none)
		h.none = nil
	}
}

// idle waits until nothing acts, and reports whether that came before ctx ended.
func (h *holding) idle(ctx context.Context) bool {
	h.mu.Lock()
	if h.acts == 0 {
		h.mu.Unlock()
		return true
	}
	if h.none == nil {
		h.none = make(chan struct{})
	}
	none := h.none
	h.mu.Unlock()
	select {
	case <-none:
		return true
	case <-ctx.Done():
		return false
	}
}
