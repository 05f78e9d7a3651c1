package e2e

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// relay is a TCP connection's way from one process to another, with faults.
type relay struct {
	listener net.Listener
	target   string

	mu     sync.Mutex
	fault  fault
	delay  time.Duration
	open   map[net.Conn]bool
	closed bool
}

// fault is what a relay does to bytes.
type fault string

const (
	none    fault = ""
	slow    fault = "slow"    // every piece comes late
	cut     fault = "cut"     // connections break, and none is made
	swallow fault = "swallow" // requests arrive, answers do not, and then the connection breaks
	silent  fault = "silent"  // nothing arrives, and nobody is told
)

// newRelay starts a relay to an address.
func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, target: target, open: map[net.Conn]bool{}}
	go r.accept()
	t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		r.breakAll()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

// set sets the fault; connections that it breaks are broken at once.
func (r *relay) set(f fault, delay time.Duration) {
	r.mu.Lock()
	before := r.fault
	r.fault, r.delay = f, delay
	r.mu.Unlock()
	if f == cut || before == silent || before == swallow {
		r.breakAll()
	}
}

func (r *relay) now() (fault, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault, r.delay
}

func (r *relay) breakAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.Close()
	}
}

// keep remembers an open connection; false if there is to be none.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.fault == cut {
		c.Close()
		return false
	}
	r.open[c] = true
	return true
}

func (r *relay) forget(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
	c.Close()
}

func (r *relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.carry(c)
	}
}

func (r *relay) carry(near net.Conn) {
	if !r.keep(near) {
		return
	}
	defer r.forget(near)
	far, err := net.Dial("tcp", r.target)
	if err != nil || !r.keep(far) {
		return
	}
	defer r.forget(far)
	var both sync.WaitGroup
	both.Go(func() { r.copy(far, near, cut, silent) })
	both.Go(func() { r.copy(near, far, cut, silent, swallow) })
	both.Wait()
}

// copy copies bytes until the connection ends or meets one of the faults that
// stop it.
func (r *relay) copy(to, from net.Conn, stops ...fault) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		f, delay := r.now()
		switch {
		case err != nil:
			return
		case f == slow:
			time.Sleep(delay)
		}
		for _, s := range stops {
			if f == s && f == silent {
				io.Copy(io.Discard, from) // until somebody gives up
				return
			} else if f == s {
				return
			}
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (f fault) String() string {
	if f == none {
		return "none"
	}
	return fmt.Sprintf("%q", string(f))
}
