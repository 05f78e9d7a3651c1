package watchdog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// Process is electd's side of one watchdog process.
type Process struct {
	cmd      *exec.Cmd
	events   chan Event
	lifeline lifeline

	mu     sync.Mutex
	orders *os.File // nil once the watchdog is gone
}

// Files are the program's standard files. Nil is the null device.
type Files struct{ Stdin, Stdout, Stderr *os.File }

// specTime bounds the sending of the Spec to a watchdog that does not read.
const specTime = 10 * time.Second

// Start starts a watchdog for the program in spec: the process argv, which calls
// Main. The program itself starts with the first SetDeadline. Events must be
// read until it is closed.
func Start(argv []string, files Files, spec Spec) (*Process, error) {
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ordersRead.Close()
	eventsRead, eventsWrite, err := os.Pipe()
	if err != nil {
		ordersWrite.Close()
		return nil, err
	}
	defer eventsWrite.Close()
	line, lineEnd, err := newLifeline()
	if err != nil {
		ordersWrite.Close()
		eventsRead.Close()
		return nil, err
	}
	defer lineEnd.Close()

	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.ExtraFiles = []*os.File{ordersRead, eventsWrite, lineEnd}
	// Its own group, or the terminal's signals would reach it, and the program
	// could not be told from it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setFiles(cmd, files)
	if err := cmd.Start(); err != nil {
		ordersWrite.Close()
		eventsRead.Close()
		line.close()
		return nil, fmt.Errorf("the watchdog process does not start: %w", err)
	}
	p := &Process{cmd: cmd, events: make(chan Event), lifeline: line, orders: ordersWrite}
	go p.listen(eventsRead)

	if err := p.sendSpec(spec); err != nil {
		// It has no program yet, so nothing is lost with it.
		p.cmd.Process.Kill()
		for range p.events {
		}
		return nil, fmt.Errorf("the watchdog process %d cannot be told what to run: %w", p.PID(), err)
	}
	return p, nil
}

func (p *Process) sendSpec(spec Spec) error {
	if err := p.orders.SetWriteDeadline(time.Now().Add(specTime)); err != nil {
		return err
	}
	if err := writeSpec(p.orders, spec); err != nil {
		return err
	}
	return p.orders.SetWriteDeadline(time.Time{})
}

// setFiles avoids a nil *os.File in an interface, which exec takes for a file.
func setFiles(cmd *exec.Cmd, f Files) {
	if f.Stdin != nil {
		cmd.Stdin = f.Stdin
	}
	if f.Stdout != nil {
		cmd.Stdout = f.Stdout
	}
	if f.Stderr != nil {
		cmd.Stderr = f.Stderr
	}
}

// PID is the watchdog's own process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Events delivers what the watchdog tells, and is closed after the last event,
// when the watchdog process is gone too.
func (p *Process) Events() <-chan Event { return p.events }

// SetDeadline makes i the instant at which the whole group is killed; it may be
// sooner than the one before. When it returns nil the watchdog is bound by it,
// whatever happens to this process. It never blocks.
func (p *Process) SetDeadline(i boottime.Instant) error { return p.send(setDeadline, int64(i)) }

// Stop asks the program to stop and has its whole group killed at the instant
// killAt, or at the deadline if that is sooner. It never blocks.
func (p *Process) Stop(killAt boottime.Instant) error { return p.send(stopProgram, int64(killAt)) }

// Signal sends a signal to the program alone. It never blocks.
func (p *Process) Signal(s syscall.Signal) error { return p.send(sendSignal, int64(s)) }

// Wake continues a watchdog that somebody has stopped with SIGSTOP.
func (p *Process) Wake() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Kill kills the watchdog itself. On Linux the kernel kills the program with it;
// what is left of it has to be found by its lock (KillStrays).
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // an error: it is gone

// ErrGone: there is no watchdog any more to tell anything to.
var ErrGone = errors.New("the watchdog process is gone")

func (p *Process) send(o order, value int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.orders == nil {
		return ErrGone
	}
	raw, err := p.orders.SyscallConn()
	if err != nil {
		return err
	}
	f := newFrame(o, value)
	var sendErr error
	// One attempt: a full pipe means that nobody has read for a long time.
	err = raw.Write(func(fd uintptr) bool {
		for {
			if _, sendErr = unix.Write(int(fd), f[:]); !errors.Is(sendErr, unix.EINTR) {
				return true
			}
		}
	})
	switch err = errors.Join(err, sendErr); {
	case err == nil:
		return nil
	case errors.Is(err, unix.EPIPE):
		return ErrGone
	default:
		return fmt.Errorf("the watchdog process %d cannot be told: %w", p.PID(), err)
	}
}

// listen passes the events on until the watchdog is gone.
func (p *Process) listen(from *os.File) {
	var last Event
	for decoder := json.NewDecoder(from); ; {
		var e Event
		if err := decoder.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				p.close() // what it says is senseless; it ends with its program
			}
			break
		}
		last = e
		if e.Kind == Started {
			p.lifeline.tie(e.PID)
		}
		p.events <- e
	}
	from.Close()
	err := p.cmd.Wait()
	p.lifeline.close()
	p.close()
	if last.Kind != Exited && last.Kind != Failed {
		p.events <- Event{Kind: Lost, Cause: Died, Reason: fmt.Sprintf("the watchdog process %d died: %v", p.PID(), err)}
	}
	close(p.events)
}

// close closes the pipe, which for the watchdog is electd's end.
func (p *Process) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.orders != nil {
		p.orders.Close()
		p.orders = nil
	}
}
