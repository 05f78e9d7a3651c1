package hardware

import (
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Mode says what to do with the device.
type Mode string

// The modes.
const (
	Off       Mode = "off"       // no device is touched
	Automatic Mode = "automatic" // used if it can be; if not, the log says why
	Required  Mode = "required"  // without it the node does not lead
)

// Overrun is what electd itself does when a fence is not over in time. What the
// device does is another matter: armed, it resets the machine in any case.
type Overrun string

// The actions. Each is logged before it is done.
const (
	Kill  Overrun = "kill"  // kill the program's group once more
	Exit  Overrun = "exit"  // that, and end electd
	Reset Overrun = "reset" // leave it to the device; without an armed one, as Kill
)

// Config is what a Dog knows.
type Config struct {
	Device    string        // default /dev/watchdog
	Mode      Mode          // default Automatic
	Timeout   time.Duration // of the device, whole seconds. Default 1 s
	OnOverrun Overrun       // default Kill

	// Lease is the shortest time that a single heartbeat's or renewal's answer
	// extends the authority by, and Interval the time between two of them.
	Lease, Interval time.Duration

	// Late reports whether any fence is late yet. It is asked before an overrun is
	// told of: an electd that stood still may have found the late one to be over
	// while others of its fences are not due. Nil: whatever FenceOver leaves is late.
	Late func() bool

	Kill func()       // kills the program's group; must not block
	Exit func()       // ends electd; need not return
	Log  hclog.Logger // nil: none

	// StandIn lets a device stand that is none, as a pipe in a test.
	StandIn bool
}

func (c Config) withDefaults() Config {
	if c.Device == "" {
		c.Device = "/dev/watchdog"
	}
	if c.Mode == "" {
		c.Mode = Automatic
	}
	if c.Timeout == 0 {
		c.Timeout = time.Second
	}
	if c.OnOverrun == "" {
		c.OnOverrun = Kill
	}
	if c.Late == nil {
		c.Late = func() bool { return true }
	}
	if c.Kill == nil {
		c.Kill = func() {}
	}
	if c.Exit == nil {
		c.Exit = func() {}
	}
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	return c
}

func (c Config) check() error {
	var errs []error
	switch c.Mode {
	case Off, Automatic, Required:
	default:
		errs = append(errs, fmt.Errorf("watchdog mode %q is none of %q, %q, %q", c.Mode, Off, Automatic, Required))
	}
	switch c.OnOverrun {
	case Kill, Exit, Reset:
	default:
		errs = append(errs, fmt.Errorf("on_overrun %q is none of %q, %q, %q", c.OnOverrun, Kill, Exit, Reset))
	}
	if c.Timeout < time.Second || c.Timeout%time.Second != 0 {
		errs = append(errs, fmt.Errorf("the watchdog timeout %s is not a whole number of seconds: devices count in seconds", c.Timeout))
	}
	return errors.Join(errs...)
}

// Fits says whether a device with this timeout can be petted often enough by a
// leader whose authority is extended by lease every interval: between two
// extensions the authority left is at least lease − interval.
func Fits(timeout, lease, interval time.Duration) error {
	if timeout+interval <= lease {
		return nil
	}
	return fmt.Errorf("the watchdog timeout %s and the interval %s between two extensions of the authority together exceed the %s that one of them buys: the device would reset the machine while all is well, or not before the authority ends; choose a shorter timeout or a longer lease",
		timeout, interval, lease)
}
