package bully

import (
	"context"
	"sync"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// wall stands between nodes: while cut says so, what one sends the other is
// swallowed, as a network does that drops packets.
type wall struct {
	mu  sync.Mutex
	cut func(from, to string) bool
}

func (w *wall) set(cut func(from, to string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

func (w *wall) between(from, to string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut != nil && from != to && (w.cut(from, to) || w.cut(to, from))
}

// groups cuts everything between nodes of different groups, each a string of
// one-letter node ids.
func groups(all ...string) func(from, to string) bool {
	of := map[string]int{}
	for i, g := range all {
		for _, node := range g {
			of[string(node)] = i + 1
		}
	}
	return func(from, to string) bool { return of[from] != of[to] }
}

// walled is one node's way to the others through the wall.
type walled struct {
	electors
	wall  *wall
	node  string
	voter func(i int) string
}

func (n *walled) pass(ctx context.Context, i int) error {
	if n.wall.between(n.node, n.voter(i)) {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (n *walled) vote(ctx context.Context, i int, r register.Request) (register.Answer, error) {
	if err := n.pass(ctx, i); err != nil {
		return register.Answer{}, err
	}
	return n.electors.vote(ctx, i, r)
}

func (n *walled) status(ctx context.Context, i int, m *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error) {
	if err := n.pass(ctx, i); err != nil {
		return nil, err
	}
	return n.electors.status(ctx, i, m)
}

func (n *walled) learn(ctx context.Context, i int, m *bullyv1.LearnRequest) error {
	if err := n.pass(ctx, i); err != nil {
		return err
	}
	return n.electors.learn(ctx, i, m)
}

func (n *walled) stands(ctx context.Context, i int, m *bullyv1.StandsRequest) (*bullyv1.StandsAnswer, error) {
	if err := n.pass(ctx, i); err != nil {
		return nil, err
	}
	return n.electors.stands(ctx, i, m)
}
