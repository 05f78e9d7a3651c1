package demo

import (
	"bufio"
	"encoding/json"
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
	name   string
	dir    string
	config string
	line   *timeline
	api    *client.Client

	mu      sync.Mutex
	command *exec.Cmd
	control *os.File
	exited  chan struct{}
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
	self, err := image()
	if err != nil {
		return err
	}
	c := exec.Command(self, "run", "--config", p.config, "--demo-control", "3")
	c.Stdout, c.Stderr = log, log
	c.ExtraFiles = []*os.File{theirs}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	p.command, p.control, p.exited, p.frozen = c, ours, make(chan struct{}), false
	exited := p.exited
	p.mu.Unlock()
	go p.listen(ours)
	go func() {
		c.Wait()
		ours.Close()
		close(exited)
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

// listen takes in what the process says of its guard.
func (p *process) listen(control *os.File) {
	for lines := bufio.NewScanner(control); lines.Scan(); {
		var r agent.GuardReport
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			p.line.report(p.name, r.Epoch, r.From, r.Until)
		}
	}
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

// kill ends the process at once and waits until it is gone. What its guard said
// ends with it.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.exited
	p.line.report(p.name, 0, clock(), 0)
	return nil
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
