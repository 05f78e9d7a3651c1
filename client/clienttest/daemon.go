package clienttest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// Daemon is one electd process.
type Daemon struct {
	Name    string
	Socket  string         // of its API
	Address string         // of its API over TCP, host:port
	Client  *client.Client // by the socket

	t                    testing.TB
	program, config, log string

	mu      sync.Mutex
	process *os.Process
	exited  chan struct{}
}

// Start starts the process, and waits until its API answers.
func (d *Daemon) Start() {
	d.t.Helper()
	log, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	c := exec.Command(d.program, "run", "--config", d.config)
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	exited := make(chan struct{})
	d.mu.Lock()
	d.process, d.exited = c.Process, exited
	d.mu.Unlock()
	go func() {
		c.Wait()
		close(exited)
	}()
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		if _, err := d.Client.Node(d.t.Context()); err == nil {
			return
		} else if time.Now().After(deadline) || !d.Running() {
			d.t.Fatalf("%s does not answer: %v\n%s", d.Name, err, d.Log())
		}
	}
}

// Running reports whether the process lives, frozen or not.
func (d *Daemon) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.process == nil {
		return false
	}
	select {
	case <-d.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process at once.
func (d *Daemon) Kill() {
	d.signal(syscall.SIGKILL)
	<-d.exited
}

// Freeze stops the process without ending it; Thaw lets it go on.
func (d *Daemon) Freeze() { d.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (d *Daemon) Thaw() { d.signal(syscall.SIGCONT) }

func (d *Daemon) signal(s syscall.Signal) {
	d.t.Helper()
	if err := d.process.Signal(s); err != nil {
		d.t.Fatalf("signal to %s: %v", d.Name, err)
	}
}

// end ends the process in good order, or, if that takes too long, at once.
func (d *Daemon) end() {
	d.Client.Close()
	if !d.Running() {
		return
	}
	d.process.Signal(syscall.SIGCONT)
	d.process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(15 * time.Second):
		d.process.Kill()
		<-d.exited
	}
}

// Election asks how an election stands, within a second.
func (d *Daemon) Election(name string) (client.Election, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return d.Client.Election(ctx, name)
}

// URL is where the API is over TCP.
func (d *Daemon) URL() string { return "http://" + d.Address }

// Log returns what the process has written so far.
func (d *Daemon) Log() string {
	text, _ := os.ReadFile(d.log)
	return string(text)
}
