package file

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
)

// The kit, with a disk that hangs in place of a network that loses.
func TestConformance(t *testing.T) {
	dir := t.TempDir()
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) { return New(ctx, Config{Dir: dir}) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			a, err := New(ctx, Config{Dir: dir})
			if err != nil {
				return nil, arbitertest.Faults{}, err
			}
			disk := &disk{closing: a.closing.Done()}
			a.between = disk.step
			return a, disk.faults(), nil
		},
	})
}

// disk hangs at the steps it is told to.
type disk struct {
	closing <-chan struct{}

	mu     sync.Mutex
	silent bool
	hangs  map[string]<-chan struct{} // once each, until the channel is closed
}

// step is called by the arbiter before each system call.
func (d *disk) step(name string) {
	d.mu.Lock()
	until := d.hangs[name]
	delete(d.hangs, name)
	if d.silent {
		until = d.closing
	}
	d.mu.Unlock()
	if until != nil {
		<-until
	}
}

// hang makes the next call at step hang until the channel is closed.
func (d *disk) hang(step string, until <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hangs = map[string]<-chan struct{}{step: until}
}

// faults are the kit's handles on d.
func (d *disk) faults() arbitertest.Faults {
	// Longer than the kit waits for an answer that will not come.
	while := func() <-chan struct{} {
		over := make(chan struct{})
		time.AfterFunc(1500*time.Millisecond, func() { close(over) })
		return over
	}
	return arbitertest.Faults{
		LoseRequest: func() { d.hang("rename", while()) },
		LoseAnswer:  func() { d.hang("stamp", while()) },
		HoldWrite: func() func() {
			held := make(chan struct{})
			d.hang("look", held)
			return func() { close(held) }
		},
		Silence: func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.silent = true
		},
	}
}
