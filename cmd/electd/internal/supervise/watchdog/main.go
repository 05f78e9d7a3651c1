package watchdog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// Files beyond the standard three, which are the program's.
const (
	ordersFD = 3 // read: the Spec, then frames
	eventsFD = 4 // write: Events
	lineFD   = 5 // its being open tells the kernel that the watchdog lives
)

// Main is the watchdog process: electd starts itself with the hidden command
// "watchdog", which does nothing but
//
//	os.Exit(watchdog.Main())
//
// as early as possible. It returns the exit status of the process when the
// program's whole group is gone.
func Main() int {
	// The kernel ties the program's life to the thread that started it.
	runtime.LockOSThread()
	if !isPipe(ordersFD) || !isPipe(eventsFD) {
		fmt.Fprintln(os.Stderr, "electd watchdog: this command is not for people: electd run and electd exec start it for the program they supervise")
		return 2
	}
	unix.CloseOnExec(ordersFD)
	unix.CloseOnExec(eventsFD)
	unix.CloseOnExec(lineFD)

	spec, err := readSpec(pipeReader(ordersFD))
	if errors.Is(err, io.EOF) {
		return 0 // kept ready, and not needed
	}
	if err == nil {
		err = unix.SetNonblock(ordersFD, true)
	}
	if err == nil {
		err = unix.SetNonblock(eventsFD, true)
	}
	if err != nil {
		report(Event{Kind: Failed, Cause: Refused, Reason: "electd's message to the watchdog process cannot be read: " + err.Error()})
		return 1
	}
	// Nothing below makes garbage worth collecting, and a collection would be
	// in the way at the wrong moment. The limit is for what nobody thought of.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	return run(spec)
}

// report tells electd. If nobody reads any more, there is nobody to tell.
func report(e Event) {
	for line := e.line(); len(line) > 0; {
		n, err := unix.Write(eventsFD, line)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		line = line[max(n, 0):]
	}
}

// pipeReader reads a file descriptor without the os package, which would keep
// it in its poller.
type pipeReader int

func (r pipeReader) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(r), p)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}
