// Package boottime is the clock that deadlines between electd and its watchdog
// processes are given on. It counts from the machine's start, suspended time
// included, and is the same for every process of one machine, so an instant may
// be passed from one to another.
package boottime

import (
	"time"

	"github.com/electd/electd/core/node"
)

// clock is the one that elections are timed by, so that the end of an authority
// may be given to a watchdog as it is.
var clock = node.SystemClock()

// Instant is a moment in nanoseconds of this machine's clock: CLOCK_BOOTTIME on
// Linux, the continuous clock on darwin. Zero is long past.
type Instant int64

// Now returns the present instant.
func Now() Instant { return Instant(clock()) }

// In returns the instant d from now.
func In(d time.Duration) Instant { return Now().Add(d) }

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns the duration from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }

// Left returns how long it is from now to i; negative if i is past.
func (i Instant) Left() time.Duration { return i.Sub(Now()) }
