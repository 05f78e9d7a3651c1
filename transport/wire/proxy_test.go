package wire

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is a TCP relay that can stop relaying without a word: connections
// stand, new ones are accepted, and nothing passes.
type proxy struct {
	deadly   atomic.Bool // what was once held back never passes, also not after the gate opens
	listener net.Listener
	gate     *gate

	mu     sync.Mutex
	target string // empty: refuse
	conns  []net.Conn
	total  int
	closed chan struct{}
	work   sync.WaitGroup
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, gate: newGate(), closed: make(chan struct{})}
	p.work.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) aim(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// accepted is how many connections were ever made to the proxy.
func (p *proxy) accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total
}

func (p *proxy) close() {
	close(p.closed)
	p.listener.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.work.Wait()
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.total++
		p.mu.Unlock()
		p.keep(near)
		p.work.Go(func() { p.relay(near) })
	}
}

func (p *proxy) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
	select {
	case <-p.closed:
		c.Close()
	default:
	}
}

func (p *proxy) relay(near net.Conn) {
	defer near.Close()
	if !p.pass() {
		return
	}
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer far.Close()
	p.keep(far)
	var both sync.WaitGroup
	both.Go(func() { p.pump(far, near) })
	p.pump(near, far)
	both.Wait()
}

// pump holds back what it has read, and the end too, while the gate is shut.
func (p *proxy) pump(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass() {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				from.Close()
			}
			to.Close()
			return
		}
	}
}

// pass waits until the gate is open; false if the proxy closes first.
func (p *proxy) pass() bool {
	if p.deadly.Load() && p.gate.shut() {
		<-p.closed
	}
	select {
	case <-p.gate.channel():
		return true
	case <-p.closed:
		return false
	}
}
