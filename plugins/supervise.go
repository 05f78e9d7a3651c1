package plugins

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// The pauses between two starts of a plugin that keeps failing. One that lived
// for steadyTime is restarted at once again.
const (
	firstPause  = 50 * time.Millisecond
	lastPause   = 15 * time.Second
	revivePause = time.Second // the longest for one whose starts succeed
	steadyTime  = 30 * time.Second
)

// longer is the pause after another failed start, shorter the one after a start
// that succeeded: a leader loses its lease by a pause.
func longer(pause time.Duration) time.Duration  { return min(max(firstPause, 2*pause), lastPause) }
func shorter(pause time.Duration) time.Duration { return min(pause, revivePause) }

// supervise replaces every instance that is lost, until Close.
func (h *Host) supervise() {
	defer close(h.done)
	pause := time.Duration(0)
	for {
		i, swapped := h.running()
		switch h.attend(i, swapped) {
		case closed:
			h.vacate(i, ErrClosed)
			i.stop()
			return
		case replaced: // by Reload, which also stops the old one
			pause = 0
			continue
		}
		if time.Since(i.since) > steadyTime {
			pause = 0
		}
		h.leave(i)
		if !h.restart(&pause) {
			return
		}
	}
}

func (h *Host) running() (*instance, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current, h.swapped
}

// fate is what became of an instance under the supervisor's eyes.
type fate uint8

const (
	closed fate = iota + 1
	replaced
	lost
)

// attend looks after an instance until it is lost, replaced or closed. Checks run
// beside it, one at a time: what happens meanwhile is acted on at once.
func (h *Host) attend(i *instance, swapped <-chan struct{}) fate {
	ctx, cancel := context.WithCancel(h.ctx)
	var checks sync.WaitGroup
	defer checks.Wait()
	defer cancel()
	checking := make(chan struct{}, 1)
	tick := time.NewTicker(i.spec.Timeouts.Health)
	defer tick.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return closed
		case <-swapped:
			return replaced
		case <-i.lost:
			return lost
		case <-tick.C:
			select {
			case checking <- struct{}{}:
				checks.Go(func() {
					i.check(ctx)
					<-checking
				})
			default: // the last one has not ended
			}
		}
	}
}

// leave opens the gap: from here on calls are refused until the next instance
// stands. What is left of the lost one is killed.
func (h *Host) leave(i *instance) {
	h.vacate(i, i.why)
	i.spec.Log.Warn("the plugin is lost and will be restarted", "why", i.why)
	i.process.kill()
	i.stop()
}

// vacate takes an instance out of service, unless a Reload did so before.
func (h *Host) vacate(i *instance, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current == i {
		h.current, h.gap = nil, why
	}
}

// restart starts instances until one stands, with growing pauses. It returns
// false when the host was closed meanwhile.
func (h *Host) restart(pause *time.Duration) bool {
	for {
		select {
		case <-h.ctx.Done():
			return false
		case <-time.After(*pause):
		}
		*pause = longer(*pause)
		if i, _ := h.running(); i != nil { // a Reload was faster
			return true
		}
		err := h.startNext()
		if err == nil {
			*pause = shorter(*pause)
			return true
		}
		if !h.failed(err, *pause) {
			return true
		}
	}
}

// failed tells why the gap stays. It returns false if a Reload has closed it
// meanwhile: then the start may have failed for want of what that put away.
func (h *Host) failed(err error, pause time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != nil {
		return false
	}
	h.gap = err
	h.spec.Log.Error("the plugin could not be restarted", "error", err, "next_try_in", pause.String())
	return true
}

// startNext starts and configures one instance and adopts it.
func (h *Host) startNext() error {
	h.mu.Lock()
	spec, img, values := h.spec, h.image, h.values
	h.mu.Unlock()
	if img.strayed() {
		spec.Log.Warn("the file at the plugin's path is not the adopted one; starting the adopted one again (electd plugin reload adopts the other)", "path", spec.Path)
	}
	i, err := start(h.ctx, spec, img)
	if err != nil {
		return err
	}
	if values != nil {
		err = i.configure(h.ctx, values)
	}
	if err == nil && values != nil {
		err = h.keeps(i.can)
	}
	if err != nil {
		i.stop()
		return fmt.Errorf("configure it again: %w", err)
	}
	if !h.fill(i) {
		i.stop()
		return nil
	}
	spec.Log.Info("the plugin runs again", "pid", i.process.ID())
	return nil
}

// fill closes the gap with an instance, unless a Reload was faster.
func (h *Host) fill(i *instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != nil {
		return false
	}
	h.adopt(i)
	return true
}

// drain ends the watches, lets the calls in flight end and then stops the
// instance.
func (i *instance) drain() {
	i.retire()
	answered := make(chan struct{})
	go func() {
		i.calls.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(i.spec.Timeouts.Call):
	}
	i.stop()
}

// bounded gives ctx a deadline if it has none.
func bounded(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, most)
}
