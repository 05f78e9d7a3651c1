package hardware

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// Dog has the device of one node. Its methods do not block unless they take a
// context.
type Dog struct {
	config Config
	usable bool // the device may be used; if not, only overruns are watched

	wake chan struct{}
	arm  chan chan error
	quit chan struct{}
	done chan struct{}

	mu        sync.Mutex
	authority boottime.Instant
	fenceBy   boottime.Instant // a fence under way must be over by then; 0: none
	told      boottime.Instant // when fenceBy was
	late      lateFence        // until it is over or reported
	wanted    bool             // armed is wanted; false disarms

	device *device // of the goroutine alone
}

// slack is how much before the last possible instant the last pet is planned.
const slack = 20 * time.Millisecond

// New returns a Dog. With mode Required it fails if the device cannot be used;
// with Automatic it logs why not. It arms the device for a moment to find out.
func New(c Config) (*Dog, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	d := &Dog{
		config: c,
		wake:   make(chan struct{}, 1),
		arm:    make(chan chan error),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	if c.Mode != Off {
		err := d.probe()
		if err != nil && c.Mode == Required {
			return nil, fmt.Errorf("the hardware watchdog is required and cannot be used: %w", err)
		}
		if err != nil {
			c.Log.Warn("the hardware watchdog is not used", "why", err)
		}
		d.usable = err == nil
	}
	go d.main()
	return d, nil
}

func (d *Dog) probe() error {
	if err := Fits(d.config.Timeout, d.config.Lease, d.config.Interval); err != nil {
		return err
	}
	device, err := openDevice(d.config.Device, d.config.Timeout, d.config.StandIn)
	if err != nil {
		return err
	}
	return device.disarm()
}

// Usable says whether there is a device that will be armed.
func (d *Dog) Usable() bool { return d.usable }

// Arm arms the device before this node leads until authority. An error means
// that it must not lead: ctx ended, or the device, which is required, cannot be
// armed. Without a usable device it does nothing.
func (d *Dog) Arm(ctx context.Context, authority boottime.Instant) error {
	d.mu.Lock()
	d.authority, d.fenceBy, d.wanted = authority, 0, d.usable
	d.mu.Unlock()
	if !d.usable {
		return nil
	}
	answer := make(chan error, 1)
	select {
	case d.arm <- answer:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var err error
	select {
	case err = <-answer:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err != nil && d.config.Mode != Required {
		d.config.Log.Warn("leading without the hardware watchdog", "why", err)
		return nil
	}
	return err
}

// SetAuthority tells until when the authority is. It may become sooner, but a
// pet that was made cannot be taken back: give up authority only where what is
// left is at least the device's timeout.
func (d *Dog) SetAuthority(i boottime.Instant) {
	d.mu.Lock()
	d.authority = i
	d.mu.Unlock()
	d.poke()
}

// FenceBegins says that the work is being stopped and must be over by an
// instant, 0 that no fence is under way. If FenceOver does not come before, that is
// an overrun. An electd that stood still learns of both too late: then FenceOver
// has a moment to come.
func (d *Dog) FenceBegins(by boottime.Instant) {
	d.mu.Lock()
	if by != d.fenceBy {
		d.fenceBy, d.told = by, boottime.Now()
	}
	d.mu.Unlock()
	d.poke()
}

// FenceOver says that nothing of the work is left. The device is disarmed.
func (d *Dog) FenceOver() {
	d.mu.Lock()
	d.fenceBy, d.late, d.wanted = 0, lateFence{}, false
	d.mu.Unlock()
	d.poke()
}

// Close disarms the device and ends the Dog.
func (d *Dog) Close() {
	close(d.quit)
	<-d.done
}

func (d *Dog) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}
