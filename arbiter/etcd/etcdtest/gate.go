package etcdtest

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/electd/electd/internal/servers"
)

// Gate passes TCP connections on to an address until it is shut.
type Gate struct {
	Address string // host:port of the gate

	t      testing.TB
	target string

	mu          sync.Mutex
	listener    net.Listener // nil: shut
	connections map[net.Conn]bool
	running     sync.WaitGroup
}

// NewGate opens a gate in front of address. It ends with the test.
func NewGate(t testing.TB, address string) *Gate {
	t.Helper()
	// Not a port of the system's choice: while the gate is shut, it could become that
	// of somebody's outgoing connection.
	g := &Gate{Address: servers.FreeAddress(t), t: t, target: address, connections: map[net.Conn]bool{}}
	g.Open()
	t.Cleanup(func() {
		g.Shut()
		g.running.Wait()
	})
	return g
}

// Shut refuses connections and breaks those that stand.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		_ = g.listener.Close()
		g.listener = nil
	}
	for c := range g.connections {
		_ = c.Close()
	}
}

// Open lets connections through, on the same port as ever.
func (g *Gate) Open() {
	g.t.Helper()
	listener, err := net.Listen("tcp", g.Address)
	if err != nil {
		g.t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listener, g.Address = listener, listener.Addr().String()
	g.running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			g.running.Go(func() { g.pass(near) })
		}
	})
}

func (g *Gate) pass(near net.Conn) {
	far, err := net.Dial("tcp", g.target)
	if err != nil {
		_ = near.Close()
		return
	}
	g.mu.Lock()
	open := g.listener != nil
	g.connections[near], g.connections[far] = true, true
	g.mu.Unlock()
	if !open {
		_, _ = near.Close(), far.Close()
	}
	g.running.Go(func() { carry(near, far) })
	carry(far, near)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.connections, near)
	delete(g.connections, far)
}

// carry copies from one to the other and ends both.
func carry(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
}
