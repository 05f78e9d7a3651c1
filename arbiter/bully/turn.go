package bully

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
	"github.com/electd/electd/core"
)

// turns remembers who wants to take what since when.
type turns struct {
	mu   sync.Mutex
	mine map[string]*turn
}

type turn struct {
	expected core.Version // the version to be replaced
	since    time.Time    // when this node first wanted to
	last     time.Time    // when it last did
	now      int          // takes of this node under way
	released time.Time    // when this node gave the key up, if it has not stood since
	vacant   string       // the version it left then
}

func newTurns() *turns { return &turns{mine: map[string]*turn{}} }

// stand notes that this node stands for a key, until the returned function is
// called.
func (t *turns) stand(key string) (done func()) {
	t.change(key, func(w *turn) { w.now++; w.released = time.Time{} })
	return func() { t.change(key, func(w *turn) { w.now--; w.last = time.Now() }) }
}

// since returns since when this node has wanted to replace the version.
func (t *turns) since(key string, expected core.Version, now time.Time) (since time.Time) {
	t.change(key, func(w *turn) {
		if w.since.IsZero() || w.expected != expected {
			w.expected, w.since = expected, now
		}
		since = w.since
	})
	return since
}

// standsFor is how long after its last attempt a node still counts as standing:
// it will try again.
const standsFor = 500 * time.Millisecond

// passesFor is how long after a release the others go ahead without this node, if
// none of them takes before.
const passesFor = 5 * time.Second

// answer says whether this node stands for a key, and whether it lets the others
// go first, as long as the newest version is the one that it left.
func (t *turns) answer(key, newest string, now time.Time) (stands, passes bool) {
	t.change(key, func(w *turn) {
		passes = w.now == 0 && w.vacant == newest && now.Sub(w.released) < passesFor
		stands = w.now > 0 || !passes && now.Sub(w.last) < standsFor
	})
	return stands, passes
}

// release notes that this node has given a key up, and left this version.
func (t *turns) release(key, vacant string) {
	t.change(key, func(w *turn) { w.released, w.vacant = time.Now(), vacant })
}

func (t *turns) change(key string, f func(*turn)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.mine[key]
	if w == nil {
		w = &turn{}
		t.mine[key] = w
	}
	f(w)
}

// mostTurns is how many turns a node gives one that says it stands, before it
// stands regardless.
const mostTurns = 4

// awaitTurn keeps the Bully order: while higher-ranked voters are up, they go
// first. Each gets one turn to begin, and a few more once it has begun. Then, or
// when somebody has taken, this node goes on: only the votes decide. It returns
// an error, and has then applied nothing, if ctx ends before that.
func (a *Arbiter) awaitTurn(ctx context.Context, swap core.Swap) error {
	now := time.Now()
	since := a.turns.since(swap.Key, swap.Expected, now)
	before := a.ranks.above(a.rank(), now)
	if len(before) == 0 {
		return nil
	}
	changed, stop := a.news.subscribe(swap.Key)
	defer stop()
	for {
		up, standing := a.askBefore(ctx, before, swap.Key)
		turns := len(up)
		if standing > 0 {
			turns = mostTurns * len(up)
		}
		due := since.Add(time.Duration(turns) * a.profile.turn)
		if len(up) == 0 || !time.Now().Before(due) || a.sawOther(swap) {
			return nil
		}
		waits := fmt.Errorf("bully: swap %s: not applied: waits for higher-ranked %s: %w", swap.Key, strings.Join(up, ", "), core.ErrUnavailable)
		if deadline, has := ctx.Deadline(); has && deadline.Before(due) && standing == 0 {
			return waits
		}
		before = up
		select {
		case <-changed: // somebody may have taken: the vote will tell
		case <-time.After(min(time.Until(due), a.profile.turn/4)):
		case <-ctx.Done():
			return waits
		case <-a.ctx.Done():
			return waits
		}
	}
}

// sawOther reports whether news has come of another version than the expected
// one. Then waiting is over: the votes refuse the swap, or the news was old.
func (a *Arbiter) sawOther(swap core.Swap) bool {
	version, heard := a.news.newest(swap.Key)
	return heard && version != string(swap.Expected)
}

// askBefore asks higher-ranked voters whether they stand. Who does not answer
// within a turn is not up, and who has just released passes.
func (a *Arbiter) askBefore(ctx context.Context, nodes []string, key string) (up []string, standing int) {
	ctx, cancel := context.WithTimeout(ctx, a.profile.turn)
	defer cancel()
	type reply struct{ before, stands bool }
	replies := make([]reply, len(nodes))
	var all sync.WaitGroup
	for n, node := range nodes {
		i, _ := a.electorate.Index(node)
		all.Go(func() {
			m, err := a.electors.stands(ctx, i, &bullyv1.StandsRequest{Electorate: a.electorate.Hash(), Key: key})
			replies[n] = reply{before: err == nil && !m.GetPasses(), stands: m.GetStands()}
		})
	}
	all.Wait()
	for n, r := range replies {
		if r.before {
			up = append(up, nodes[n])
		}
		if r.stands {
			standing++
		}
	}
	return up, standing
}
