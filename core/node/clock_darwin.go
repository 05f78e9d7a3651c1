package node

import (
	"golang.org/x/sys/unix"

	"github.com/electd/electd/core"
)

// clockMonotonicRaw is darwin's CLOCK_MONOTONIC_RAW, its continuous clock: it
// runs on while the machine is asleep.
const clockMonotonicRaw = 4

// SystemClock returns darwin's continuous clock: monotonic, and running on
// while the machine is asleep.
func SystemClock() Clock { return continuous }

func continuous() core.Instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(clockMonotonicRaw, &ts); err != nil {
		panic("the continuous clock cannot be read: " + err.Error())
	}
	return core.Instant(ts.Nano())
}
