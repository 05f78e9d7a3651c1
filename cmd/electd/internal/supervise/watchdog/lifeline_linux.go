package watchdog

import (
	"os"

	"golang.org/x/sys/unix"
)

// lifeline is a pipe that nobody writes to. The watchdog has the one end, electd
// the other, and when the watchdog dies the kernel sends SIGKILL to the program's
// process group on electd's behalf, also while electd is stopped. Whoever has left
// the group is found by electd later (KillStrays).
type lifeline struct{ read int }

// newLifeline returns electd's end and the watchdog's.
func newLifeline() (lifeline, *os.File, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return lifeline{}, nil, os.NewSyscallError("pipe2", err)
	}
	return lifeline{pipe[0]}, os.NewFile(uintptr(pipe[1]), "lifeline"), nil
}

// tie names the process group. Where it cannot be done, electd does it alone when
// it is told that the watchdog is gone.
func (l lifeline) tie(group int) {
	if _, err := unix.FcntlInt(uintptr(l.read), unix.F_SETOWN, -group); err != nil {
		return
	}
	if _, err := unix.FcntlInt(uintptr(l.read), unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return
	}
	_, _ = unix.FcntlInt(uintptr(l.read), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
}

func (l lifeline) close() { _ = unix.Close(l.read) }
