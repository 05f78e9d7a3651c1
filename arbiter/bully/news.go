package bully

import (
	"sync"

	"github.com/electd/electd/arbiter/bully/gossip"
	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// news says that a version was decided.
type news struct {
	key     string
	ballot  register.Ballot
	version string
}

func (n news) message(electorate string) *bullyv1.LearnRequest {
	return &bullyv1.LearnRequest{Electorate: electorate, Key: n.key, Ballot: wire.FromBallot(n.ballot), Version: n.version}
}

// newsroom keeps the newest news of every key and tells subscribers of it.
type newsroom struct {
	mu          sync.Mutex
	board       gossip.Board
	subscribers map[string]map[chan struct{}]bool
	closed      bool
}

func newNewsroom() *newsroom {
	return &newsroom{subscribers: map[string]map[chan struct{}]bool{}}
}

func (r *newsroom) newest(key string) (version string, heard bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, heard := r.board.Newest(key)
	return i.Version, heard
}

// add takes news in and reports whether it was any.
func (r *newsroom) add(n news) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.board.Add(gossip.Item{Key: n.key, Ballot: n.ballot, Version: n.version}) {
		return false
	}
	for s := range r.subscribers[n.key] {
		select {
		case s <- struct{}{}:
		default: // it has not looked since the last time
		}
	}
	return true
}

// subscribe returns a channel on which something comes after each news of key,
// and which is closed with the newsroom.
func (r *newsroom) subscribe(key string) (changed <-chan struct{}, stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := make(chan struct{}, 1)
	if r.closed {
		close(s)
		return s, func() {}
	}
	if r.subscribers[key] == nil {
		r.subscribers[key] = map[chan struct{}]bool{}
	}
	r.subscribers[key][s] = true
	return s, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subscribers[key], s)
		if len(r.subscribers[key]) == 0 {
			delete(r.subscribers, key)
		}
	}
}

func (r *newsroom) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, subscribers := range r.subscribers {
		for s := range subscribers {
			close(s)
		}
	}
	r.subscribers = map[string]map[chan struct{}]bool{}
}

// hear takes news in, wherever it came from.
func (a *Arbiter) hear(n news) {
	if !a.news.add(n) {
		return
	}
	a.mu.Lock()
	g := a.gossip
	a.mu.Unlock()
	if g != nil {
		g.spread(n)
	}
}
