package agent

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
)

// ErrOverrun is why a daemon ends by itself when a fence is not over in time and
// the configuration says on_overrun = "exit".
var ErrOverrun = errors.New("a fence was not over before the authority ended (watchdog.on_overrun)")

// leash holds the machine's one hardware watchdog for all elections together.
// The machine may go on as long as the shortest of their authorities lasts; the
// device is disarmed when nothing of any of them is active.
type leash struct {
	dog *hardware.Dog

	mu    sync.Mutex
	held  map[*service]tie
	least boottime.Instant // of the authorities
}

// tie is what one election's active service is bound by.
type tie struct {
	authority boottime.Instant
	fenceBy   boottime.Instant // a fence under way has to be over by then; 0: none
	told      bool             // the device's keeper knows that this fence is late
}

const never = boottime.Instant(math.MaxInt64)

// watchdogOf is the device as the configuration describes it. Without a watchdog
// block no device is touched, and overruns are watched all the same.
func watchdogOf(c *config.Config) hardware.Config {
	h := hardware.Config{Mode: hardware.Off}
	if w := c.Watchdog; w != nil {
		h.Device, h.Mode, h.Timeout, h.OnOverrun = w.Device, hardware.Mode(w.Mode), w.Timeout, hardware.Overrun(w.OnOverrun)
	}
	for i, e := range c.Elections {
		lease, interval := e.HeartbeatLease, e.HeartbeatInterval
		if len(c.Peers()) == 0 {
			lease, interval = e.ArbiterLease, e.ArbiterLease/3
		}
		if i == 0 || lease-interval < h.Lease-h.Interval {
			h.Lease, h.Interval = lease, interval
		}
	}
	return h
}

// newLeash opens the device. exit ends the daemon.
func newLeash(h hardware.Config, exit func(error), log hclog.Logger) (*leash, error) {
	l := &leash{held: map[*service]tie{}, least: never}
	h.Late, h.Kill, h.Exit, h.Log = l.late, l.killLate, func() { exit(ErrOverrun) }, log.Named("watchdog")
	var err error
	l.dog, err = hardware.New(h)
	return l, err
}

// tie ties a service that is about to be made active.
func (l *leash) tie(s *service, authority boottime.Instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[s] = tie{authority: authority}
	l.pull()
}

// arm arms the device for what is tied. The error says why nothing may be made
// active.
func (l *leash) arm(ctx context.Context) error {
	l.mu.Lock()
	least := l.least
	l.mu.Unlock()
	err := l.dog.Arm(ctx, least)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pull() // what has changed while the device was being armed
	return err
}

// extend takes note of a service's authority, longer or shorter.
func (l *leash) extend(s *service, authority boottime.Instant) {
	if !l.dog.Usable() {
		return // only a device's pets depend on it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.held[s]
	if !ok || t.fenceBy != 0 {
		return
	}
	before := t.authority
	t.authority = authority
	l.held[s] = t
	if before == l.least || authority < l.least {
		l.pull()
	}
}

// fence takes note that a service is being stopped and has to be over by an
// instant, which is the end of its authority.
func (l *leash) fence(s *service, by boottime.Instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held[s]
	l.held[s] = tie{authority: by, fenceBy: by, told: before.told && before.fenceBy == by}
	l.pull()
}

// free takes note that nothing of a service is active any more.
func (l *leash) free(s *service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, s)
	l.pull()
}

// pull tells the device's keeper what follows for the machine; of a fence that
// is late only once. The caller holds mu.
func (l *leash) pull() {
	l.least = never
	if len(l.held) == 0 {
		l.dog.FenceOver()
		return
	}
	fenceBy, now := never, boottime.Now()
	for s, t := range l.held {
		l.least = min(l.least, t.authority)
		if t.fenceBy == 0 || t.told {
			continue
		}
		fenceBy = min(fenceBy, t.fenceBy)
		t.told = t.fenceBy <= now
		l.held[s] = t
	}
	if fenceBy == never {
		fenceBy = 0
	}
	l.dog.SetAuthority(l.least)
	l.dog.FenceBegins(fenceBy)
}

// isLate reports whether a fence should be over by now.
func (t tie) isLate(now boottime.Instant) bool { return t.fenceBy != 0 && t.fenceBy <= now }

// late reports whether any fence is late.
func (l *leash) late() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := boottime.Now()
	for _, t := range l.held {
		if t.isLate(now) {
			return true
		}
	}
	return false
}

// killLate kills the programs whose fences are late.
func (l *leash) killLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := boottime.Now()
	for s, t := range l.held {
		if t.isLate(now) {
			s.kill()
		}
	}
}

func (l *leash) close() {
	if l.dog != nil {
		l.dog.Close()
	}
}
