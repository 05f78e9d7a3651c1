package watchdog

import (
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// inbox is all that can wake a watchdog: electd's pipe, signals, and the clock.
type inbox struct {
	buf        [64 * frameSize]byte
	have, used int
	closed     bool // electd's end of the pipe is closed

	alarm  *alarm
	wakeFD int         // read end of a pipe that a signal writes to
	term   atomic.Bool // SIGTERM came
	fds    [3]unix.PollFd
}

func newInbox() (*inbox, error) {
	a, err := newAlarm()
	if err != nil {
		return nil, err
	}
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		return nil, os.NewSyscallError("pipe", err)
	}
	for _, fd := range pipe {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
	in := &inbox{alarm: a, wakeFD: pipe[0]}
	in.fds = [3]unix.PollFd{
		{Fd: ordersFD, Events: unix.POLLIN},
		{Fd: int32(pipe[0]), Events: unix.POLLIN},
		{Fd: int32(a.fd), Events: unix.POLLIN},
	}
	in.listen(pipe[1])
	return in, nil
}

// listen turns signals into bytes on a pipe. Those that a terminal or a service
// manager sends to everybody do not end a watchdog: electd gets them too and
// decides. They are caught, not ignored, since a program would inherit that.
func (in *inbox) listen(wake int) {
	child, term, others := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(child, syscall.SIGCHLD)
	signal.Notify(term, syscall.SIGTERM)
	signal.Notify(others, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	go func() {
		one := []byte{0}
		for {
			select {
			case <-child:
			case <-term:
				in.term.Store(true)
			case <-others:
				continue
			}
			// A full pipe has woken the loop already.
			_, _ = unix.Write(wake, one)
		}
	}()
}

// terminated says whether SIGTERM has come since the last call.
func (in *inbox) terminated() bool { return in.term.Swap(false) }

// next returns the next order, false if none is waiting.
func (in *inbox) next() (frame, bool) {
	var f frame
	if in.have-in.used < frameSize {
		in.have = copy(in.buf[:], in.buf[in.used:in.have])
		in.used = 0
		in.fill()
	}
	if in.have-in.used < frameSize {
		return f, false
	}
	in.used += copy(f[:], in.buf[in.used:])
	return f, true
}

func (in *inbox) fill() {
	for !in.closed {
		n, err := unix.Read(ordersFD, in.buf[in.have:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return
		case err != nil || n == 0:
			in.closed = true
			in.fds[0].Fd = -1
			return
		}
		in.have += n
		return
	}
}

// wait returns when something may have happened, at the latest at until.
func (in *inbox) wait(until boottime.Instant) {
	timeout := in.alarm.set(until)
	// An error is EINTR: the caller looks at everything anyway.
	_, _ = unix.Poll(in.fds[:], timeout)
	var drop [64]byte
	_, _ = unix.Read(in.wakeFD, drop[:])
}
