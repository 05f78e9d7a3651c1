package node

import (
	"golang.org/x/sys/unix"

	"github.com/electd/electd/core"
)

// SystemClock returns CLOCK_BOOTTIME: monotonic, and running on while the
// machine is suspended. Every process of the machine reads the same instants.
func SystemClock() Clock { return boottime }

func boottime() core.Instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic("CLOCK_BOOTTIME cannot be read: " + err.Error()) // it exists since Linux 2.6.39
	}
	return core.Instant(ts.Nano())
}
