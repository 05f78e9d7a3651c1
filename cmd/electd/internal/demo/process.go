package demo

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/agent"
)

// process is one electd of the demo: a real process that can be killed, frozen
// and started again.
type process struct {
	program string // electd
	name    string
	dir     string
	config  string
	line    *timeline
	api     *client.Client

	mu      sync.Mutex
	command *exec.Cmd
	control *os.File
	exited  chan struct{}   // closed when it is gone
	heard   chan struct{}   // closed when all that it ever said is taken in
	echoes  []chan struct{} // to be closed, one at every echo
	frozen  bool
}

func (p *process) start() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	log, err := os.OpenFile(filepath.Join(p.dir, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c := exec.Command(p.program, "run", "--config", p.config, "--demo-control", "3")
	c.Stdout, c.Stderr = log, log
	c.ExtraFiles = []*os.File{theirs}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return errors.Join(err, ours.Close())
	}
	exited, heard := make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	p.command, p.control, p.exited, p.heard, p.echoes, p.frozen = c, ours, exited, heard, nil, false
	p.mu.Unlock()
	go func() {
		defer close(heard)
		defer ours.Close()
		p.listen(ours)
	}()
	go func() {
		defer close(exited)
		c.Wait()
	}()
	return nil
}

// image is this program: the running one, so that a file replaced meanwhile
// changes nothing.
func image() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// listen takes in what the process says of its guard, until it hangs up or dies.
func (p *process) listen(control *os.File) {
	number := uint64(0)
	for lines := bufio.NewScanner(control); lines.Scan(); {
		var r agent.GuardReport
		number++
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Number != number {
			p.line.lose(fmt.Errorf("report %d of %s's guard is lost: %q, %w", number, p.name, lines.Text(), cmp.Or(err, errNumber)))
			return
		}
		if r.Echo {
			p.echoed()
		} else {
			p.line.report(p.name, r)
		}
	}
}

var errNumber = errors.New("another number was due")

func (p *process) echoed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.echoes[0])
	p.echoes = p.echoes[1:]
}

// hear waits until everything is taken in that the process has said by now.
func (p *process) hear(ctx context.Context) error {
	echo := make(chan struct{})
	p.mu.Lock()
	p.echoes = append(p.echoes, echo)
	_, err := fmt.Fprintln(p.control, "echo")
	heard := p.heard
	p.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case <-echo:
	case <-heard:
	case <-ctx.Done():
		return fmt.Errorf("%s does not answer: %w", p.name, ctx.Err())
	}
	return nil
}

// running reports whether the process lives, frozen or not.
func (p *process) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.command == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

func (p *process) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.command.Process.Signal(s)
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	p.gone()
	return nil
}

// gone waits for the end of the process. What its guard said ends with it, and
// that can be judged only once all of it is heard.
func (p *process) gone() {
	<-p.exited
	at := clock()
	<-p.heard
	p.line.died(p.name, at)
}

func (p *process) freeze() error {
	p.mu.Lock()
	p.frozen = true
	p.mu.Unlock()
	return p.signal(syscall.SIGSTOP)
}

func (p *process) thaw() error {
	p.mu.Lock()
	p.frozen = false
	p.mu.Unlock()
	return p.signal(syscall.SIGCONT)
}

// stop ends the process in good order, or, if it does not end, at once.
func (p *process) stop() {
	if !p.running() {
		return
	}
	p.thaw()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.exited:
		p.gone()
	case <-time.After(15 * time.Second):
		p.kill()
	}
}

// link cuts or heals this process's connections with a peer.
func (p *process) link(verb, peer string) error {
	_, err := fmt.Fprintf(p.control, "%s %s\n", verb, peer)
	return err
}

func (p *process) isFrozen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frozen
}
