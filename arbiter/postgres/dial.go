package postgres

import (
	"context"
	"net"
	"sync"
	"time"
)

// dialer makes the connections and knows them, so that Close need not wait for a
// server that has fallen silent.
type dialer struct {
	net.Dialer

	mu     sync.Mutex
	closed bool
	open   map[*connection]struct{}
}

func newDialer(timeout time.Duration) *dialer {
	return &dialer{
		Dialer: net.Dialer{Timeout: timeout, KeepAlive: 10 * time.Second},
		open:   map[*connection]struct{}{},
	}
}

// connection is one that its dialer knows.
type connection struct {
	net.Conn
	dialer *dialer
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, dialer: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	d.open[c] = struct{}{}
	return c, nil
}

// Close closes the connection and forgets it.
func (c *connection) Close() error {
	c.dialer.mu.Lock()
	delete(c.dialer.open, c)
	c.dialer.mu.Unlock()
	return c.Conn.Close()
}

// cut closes every connection and makes no more.
func (d *dialer) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for c := range d.open {
		_ = c.Conn.Close()
	}
}
