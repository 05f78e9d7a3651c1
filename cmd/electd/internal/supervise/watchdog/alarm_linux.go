package watchdog

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// alarm wakes a poll at an instant.
type alarm struct{ fd int }

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &alarm{fd: fd}, nil
}

// set makes the file readable from until on and returns the poll's timeout.
func (a *alarm) set(until boottime.Instant) int {
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(until, 1)))} // 0 would disarm it
	if err := unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &at, nil); err != nil {
		return 1 // never seen; look again in a millisecond rather than miss it
	}
	return -1
}
