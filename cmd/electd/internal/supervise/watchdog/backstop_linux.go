package watchdog

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// backstop is the kernel's own hand on this process: it is sent SIGKILL at an
// instant, also while it is stopped, and what it supervises dies with it. It is
// for a watchdog that cannot keep the deadline itself; nil where there is none.
type backstop struct{ timer int32 }

// sigevent is the kernel's struct sigevent.
type sigevent struct {
	value  uint64
	signal int32
	notify int32
	_      [48]byte
}

const (
	notifyProcess = 0 // SIGEV_SIGNAL
	absolute      = 1 // TIMER_ABSTIME
)

func newBackstop() *backstop {
	ev := sigevent{signal: int32(unix.SIGKILL), notify: notifyProcess}
	b := &backstop{}
	_, _, errno := unix.Syscall(unix.SYS_TIMER_CREATE, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&ev)), uintptr(unsafe.Pointer(&b.timer)))
	if errno != 0 {
		return nil
	}
	return b
}

// set makes i the instant; 0 is none.
func (b *backstop) set(i boottime.Instant) {
	if b == nil {
		return
	}
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(i))}
	_, _, _ = unix.Syscall6(unix.SYS_TIMER_SETTIME, uintptr(b.timer), absolute, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
}
