package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// process is one start of a plugin's program, as go-plugin's runner. It drains
// both output streams itself and gives go-plugin nothing but the handshake
// line, so that no print of a plugin can block it or confuse the handshake.
type process struct {
	name      string
	out       *output
	cmd       *exec.Cmd // set before Start
	plaintext string    // if not empty: the directory a plain text socket must be in

	handshakeR, silenceR *io.PipeReader // what go-plugin reads
	handshakeW, silenceW *io.PipeWriter
	exited               chan struct{} // closed when the process is gone and its output read

	mu     sync.Mutex
	pid    int       // 0: not started
	where  [2]string // network and address that it listens on
	spoken string    // version of the protocol in its handshake
	noise  string    // what it printed where the handshake belongs
	killed bool      // by us
	state  string    // how it ended; empty while it lives
}

func newProcess(name string, out *output) *process {
	p := &process{name: name, out: out, exited: make(chan struct{})}
	p.handshakeR, p.handshakeW = io.Pipe()
	p.silenceR, p.silenceW = io.Pipe()
	return p
}

var _ runner.Runner = (*process)(nil)

// drainTime is how long output may still come after a process has ended, from
// children that keep its pipes.
const drainTime = 500 * time.Millisecond

// Start starts the process. The thread that does so stays for as long as the
// process lives, because the kernel ties the two together (see attributes).
func (p *process) Start(context.Context) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		p.live(started)
	}()
	return <-started
}

func (p *process) live(started chan<- error) {
	var mine, theirs []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(mine, theirs)
			started <- err
			return
		}
		mine, theirs = append(mine, r), append(theirs, w)
	}
	// Standard input is the one pipe that the process reads and we keep open.
	mine[0], theirs[0] = theirs[0], mine[0]
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p.cmd.SysProcAttr = attributes()
	keepDescriptors()
	err := p.cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(mine)
		started <- p.explain(err)
		return
	}
	var drained sync.WaitGroup
	drained.Go(func() { p.readStdout(mine[1]) })
	drained.Go(func() { eachLine(mine[2], p.out.stderr) })
	p.begin(p.cmd.Process.Pid)
	started <- nil

	p.end(p.cmd.Wait())
	overdue := time.AfterFunc(drainTime, func() { closeAll(mine[1:]) })
	drained.Wait()
	overdue.Stop()
	closeAll(mine)
	_ = p.handshakeW.Close()
	_ = p.silenceW.Close()
	close(p.exited)
}

func closeAll(lists ...[]*os.File) {
	for _, list := range lists {
		for _, f := range list {
			_ = f.Close()
		}
	}
}

// begin notes that the process runs; a kill that came too early is made good.
func (p *process) begin(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid = pid
	if p.killed {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// end notes how the process ended. What it left behind in its group goes too.
func (p *process) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = "exit status 0"
	if err != nil {
		p.state = err.Error()
	}
	_ = syscall.Kill(-p.pid, syscall.SIGKILL)
}

// kill ends the process and its whole group at once, whatever it is doing.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != "" {
		return
	}
	p.killed = true
	if p.pid != 0 {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

func (p *process) started() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid != 0
}

// ending says how the process ended, empty while it lives.
func (p *process) ending() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// wasKilled says whether it was us who ended it.
func (p *process) wasKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// explain adds what to do to the error of a process that did not even start.
func (p *process) explain(err error) error {
	switch {
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("execute %s: %w (is it on a file system mounted noexec, or its interpreter not executable?)", p.name, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("execute %s: %w (is it built for %s/%s? does a script begin with #!?)", p.name, err, runtime.GOOS, runtime.GOARCH)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("execute %s: %w (is its interpreter or loader installed?)", p.name, err)
	}
	return fmt.Errorf("execute %s: %w", p.name, err)
}

// handshakeLine is what go-plugin prints first: core version, our version,
// network, address, protocol.
var handshakeLine = regexp.MustCompile(`^\d+\|(\d+)\|(unix|tcp)\|[^|]+\|`)

func (p *process) readStdout(r io.Reader) {
	waiting := true
	eachLine(r, func(line string) {
		if !waiting {
			p.out.stdout(line)
			return
		}
		waiting = false
		p.greeted(line)
		_, _ = io.WriteString(p.handshakeW, line+"\n")
	})
}

// greeted notes the first line: the handshake, or what was printed in its place.
func (p *process) greeted(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if parts := handshakeLine.FindStringSubmatch(line); parts != nil {
		p.spoken = parts[1]
		return
	}
	p.noise = shorten(p.out.secrets.hide(line))
	p.out.stdout(line)
}

// version returns the major version that the plugin chose to speak.
func (p *process) version() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spoken
}

// unexpected returns what was printed where the handshake belongs.
func (p *process) unexpected() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.noise
}

// Wait waits until the process is gone.
func (p *process) Wait(context.Context) error {
	<-p.exited
	if state := p.ending(); state != "exit status 0" {
		return errors.New(state)
	}
	return nil
}

// Kill is kill, for go-plugin.
func (p *process) Kill(context.Context) error {
	p.kill()
	return nil
}

// Stdout gives go-plugin the handshake line and then nothing until the end.
func (p *process) Stdout() io.ReadCloser { return p.handshakeR }

// Stderr gives go-plugin nothing until the end.
func (p *process) Stderr() io.ReadCloser { return p.silenceR }

// Name is the program's path.
func (p *process) Name() string { return p.name }

// ID is the process id, empty before the process started.
func (p *process) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid == 0 {
		return ""
	}
	return strconv.Itoa(p.pid)
}

// Diagnose has nothing to add: our own error says it all.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost checks the address a plugin says it listens on. Where there is
// no TLS, only a socket in the start's own directory is out of others' reach.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	inside := strings.HasPrefix(filepath.Clean(address), p.plaintext+"/")
	if p.plaintext != "" && (network != "unix" || !inside) {
		return "", "", fmt.Errorf("it listens on %s %s: without TLS it must listen on a Unix socket in the directory that PLUGIN_UNIX_SOCKET_DIR names", network, address)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where = [2]string{network, address}
	return network, address, nil
}

// address returns where the plugin listens.
func (p *process) address() (network, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.where[0], p.where[1]
}

// HostToPlugin is not needed: the host listens on nothing.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
