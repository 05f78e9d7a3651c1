// Package boottime is the clock that deadlines between electd and its watchdog
// processes are given on. It counts from the machine's start, suspended time
// included, and is the same for every process of one machine, so an instant may
// be passed from one to another.
package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Instant is a moment in nanoseconds of this machine's clock: CLOCK_BOOTTIME on
// Linux, the continuous clock on darwin. Zero is long past.
type Instant int64

// Now returns the present instant.
func Now() Instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		// The clock exists on every kernel that Go runs on. Without it no
		// deadline can be kept, and carrying on would be the one wrong answer.
		panic("boottime: " + err.Error())
	}
	return Instant(ts.Nano())
}

// In returns the instant d from now.
func In(d time.Duration) Instant { return Now().Add(d) }

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns the duration from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }

// Left returns how long it is from now to i; negative if i is past.
func (i Instant) Left() time.Duration { return i.Sub(Now()) }
