package file

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime names the present run of the machine and says how long it has lasted,
// time spent asleep included, as this clock does on darwin.
func uptime() (boot string, up time.Duration, err error) {
	boot, err = unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", 0, err
	}
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return "", 0, err
	}
	return boot, time.Duration(t.Nano()), nil
}
