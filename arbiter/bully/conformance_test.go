package bully

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
	"github.com/electd/electd/core"
)

// The kit. Its clients are joiners, nodes without a vote, so that everything they
// do goes over the network to three voters. Not beside other tests: theirs are
// goroutines too, and the kit looks for what a client has left.
func TestConformance(t *testing.T) {
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) { return c.join(ctx) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			n := &faultyNetwork{}
			a, err := c.join(ctx, func(config *Config) {
				config.way = func(e electors) electors {
					n.electors = e
					return n
				}
			})
			return a, n.faults(), err
		},
	})
}

// join starts a node without a vote and waits until it knows the cluster.
func (c *cluster) join(ctx context.Context, change ...func(*Config)) (*Arbiter, error) {
	config := c.configOf(fmt.Sprintf("joiner-%d", c.joiners.Add(1)))
	for _, f := range change {
		f(&config)
	}
	a, err := New(ctx, config)
	if err != nil {
		return nil, err
	}
	for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(time.Millisecond) {
		if _, err = a.belongsTo(); err == nil {
			return a, nil
		}
	}
	return nil, errors.Join(err, a.Close())
}

// faultyNetwork loses and holds back one node's votes.
type faultyNetwork struct {
	electors

	mu     sync.Mutex
	silent bool
	mode   faultMode
	about  register.Ballot // of the one write that the mode is about
	held   chan struct{}   // closed to let held requests go
	going  sync.WaitGroup
}

type faultMode uint8

const (
	passing faultMode = iota
	losingRequests
	losingAnswers
	holding
)

func (n *faultyNetwork) vote(ctx context.Context, i int, r register.Request) (register.Answer, error) {
	n.mu.Lock()
	mode, held, silent := n.mode, n.held, n.silent
	switch {
	case mode == passing || r.Kind != register.Accept:
		mode = passing
	case n.about == register.Ballot{}:
		n.about = r.Ballot
	case n.about != r.Ballot:
		mode = passing
	}
	if mode == holding {
		n.going.Add(1)
		defer n.going.Done()
	}
	n.mu.Unlock()
	hang := func() (register.Answer, error) {
		<-ctx.Done()
		return register.Answer{}, ctx.Err()
	}
	switch {
	case silent || mode == losingRequests:
		return hang()
	case mode == losingAnswers:
		_, _ = n.electors.vote(ctx, i, r)
		return hang()
	case mode == holding:
		<-held
		return n.electors.vote(context.WithoutCancel(ctx), i, r)
	}
	return n.electors.vote(ctx, i, r)
}

func (n *faultyNetwork) status(ctx context.Context, i int, m *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error) {
	n.mu.Lock()
	silent := n.silent
	n.mu.Unlock()
	if silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return n.electors.status(ctx, i, m)
}

func (n *faultyNetwork) set(m faultMode) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mode, n.about, n.held = m, register.Ballot{}, make(chan struct{})
	return n.held
}

func (n *faultyNetwork) faults() arbitertest.Faults {
	return arbitertest.Faults{
		LoseRequest: func() { n.set(losingRequests) },
		LoseAnswer:  func() { n.set(losingAnswers) },
		HoldWrite: func() func() {
			held := n.set(holding)
			return func() {
				close(held)
				n.going.Wait()
			}
		},
		Silence: func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.silent = true
		},
	}
}
