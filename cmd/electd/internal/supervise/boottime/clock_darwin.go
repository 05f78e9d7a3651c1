package boottime

import "golang.org/x/sys/unix"

// Unlike CLOCK_MONOTONIC this one is not slewed; both go on while asleep.
const clock = unix.CLOCK_MONOTONIC_RAW
