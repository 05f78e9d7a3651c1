package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/electd/electd/client"
)

// guards remembers until when programs beside the daemon may act on its word
// that this node leads, so that a release can wait for them.
type guards struct {
	mark func() error // remembers, beyond this process, that a permit is out
	mu   sync.Mutex
	told bool                          // mark was called
	held map[string]map[string]*permit // by election and the guard's id
}

// permit is the daemon's word to one program.
type permit struct {
	until time.Time
	gone  chan struct{} // closed when the program acts on it no more
}

// errTooManyGuards is said to the one guard too many.
var errTooManyGuards = fmt.Errorf("%d guards of this election are open already", maxGuards)

// extend asks the election how long this node certainly leads, and gives a
// program that word. It counts from before the election is asked; and it is
// remembered before anybody can wait for the permits that are out.
func (g *guards) extend(election, id string, e Election) (client.Permit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked := time.Now()
	status := e.Status()
	if !status.Leading || status.ValidForMS <= 0 {
		return client.Permit{Why: status.Why}, nil
	}
	if !g.told && g.mark != nil {
		if err := g.mark(); err != nil {
			return client.Permit{}, err
		}
	}
	g.told = true
	p := g.held[election][id]
	if p == nil {
		var err error
		if p, err = g.add(election, id, asked); err != nil {
			return client.Permit{}, err
		}
	}
	if until := asked.Add(time.Duration(status.ValidForMS) * time.Millisecond); until.After(p.until) {
		p.until = until
	}
	return client.Permit{Epoch: status.Epoch, ValidForMS: status.ValidForMS, Why: status.Why}, nil
}

func (g *guards) add(election, id string, now time.Time) (*permit, error) {
	held := g.held[election]
	for other, p := range held {
		if now.After(p.until) {
			delete(held, other)
		}
	}
	if len(held) >= maxGuards {
		return nil, errTooManyGuards
	}
	if held == nil {
		if g.held == nil {
			g.held = map[string]map[string]*permit{}
		}
		held = map[string]*permit{}
		g.held[election] = held
	}
	p := &permit{gone: make(chan struct{})}
	held[id] = p
	return p, nil
}

// dismiss takes note that a program acts no more on what it was told.
func (g *guards) dismiss(election, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.held[election][id]; p != nil {
		close(p.gone)
		delete(g.held[election], id)
	}
}

// out returns the permits of an election that programs may still act on.
func (g *guards) out(election string) []permit {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []permit
	for _, p := range g.held[election] {
		out = append(out, *p)
	}
	return out
}

// open counts the guards that are open.
func (g *guards) open(now time.Time) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, held := range g.held {
		for _, p := range held {
			if now.Before(p.until) {
				n++
			}
		}
	}
	return n
}

// AwaitGuards waits until no program acts any more on this node's word that it
// leads the election: each has said so, or its time is over. It is to be called
// once the election says that it does not lead, and before the lease is released.
func (s *Server) AwaitGuards(ctx context.Context, election string) error {
	for _, p := range s.guards.out(election) {
		over := time.NewTimer(time.Until(p.until))
		select {
		case <-p.gone:
		case <-over.C:
		case <-ctx.Done():
			over.Stop()
			return errors.New("a program beside electd may still act on its word that this node leads")
		}
		over.Stop()
	}
	return nil
}

// guardID is what programs may call their guards.
var guardID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// permit gives a program the daemon's word for a while.
func (h *handlers) permit(w http.ResponseWriter, r *http.Request) {
	e, ok := h.find(w, r)
	if !ok {
		return
	}
	id := r.PathValue("id")
	if !guardID.MatchString(id) {
		fail(w, http.StatusBadRequest, fmt.Errorf("%q cannot be a guard's id: letters, digits, '_' and '-', at most 64", id))
		return
	}
	p, err := h.server.guards.extend(r.PathValue("name"), id, e)
	if err != nil {
		fail(w, http.StatusServiceUnavailable, err)
		return
	}
	answer(w, http.StatusOK, p)
}

// dismiss ends a guard.
func (h *handlers) dismiss(w http.ResponseWriter, r *http.Request) {
	if _, ok := h.find(w, r); ok {
		h.server.guards.dismiss(r.PathValue("name"), r.PathValue("id"))
		answer(w, http.StatusOK, done)
	}
}
