package wire

import (
	"context"
	"errors"
	"sync"
)

var errCut = errors.New("cut by request")

// gate is open or shut; one can wait for it to open.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed: open
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) channel() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

func (g *gate) shut() bool {
	select {
	case <-g.channel():
		return false
	default:
		return true
	}
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		if shut {
			g.open = make(chan struct{})
		}
	default:
		if !shut {
			close(g.open)
		}
	}
}

// wait returns when the gate is open, or with an error when ctx ends first.
func (g *gate) wait(ctx context.Context) error {
	select {
	case <-g.channel():
		return nil
	case <-ctx.Done():
		return errCut
	}
}
