package file

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// uptime names the present run of the machine and says how long it has lasted,
// time spent suspended included.
func uptime() (boot string, up time.Duration, err error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0, err
	}
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return "", 0, err
	}
	return strings.TrimSpace(string(id)), time.Duration(t.Nano()), nil
}
