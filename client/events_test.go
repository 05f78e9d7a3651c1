package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/client/clienttest"
)

// proxy passes connections on, and can cut them.
type proxy struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     []net.Conn
	closed   bool
	running  sync.WaitGroup
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cut(true)
		p.running.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		p.mu.Lock()
		if err != nil || p.closed {
			in.Close()
			p.mu.Unlock()
			continue
		}
		p.open = append(p.open, in, out)
		p.mu.Unlock()
		for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
			p.running.Go(func() {
				io.Copy(way[0], way[1])
				way[0].Close()
			})
		}
	}
}

// cut ends all connections, and lets no new ones through while closed.
func (p *proxy) cut(closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = closed
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

func TestEventsResumeAfterALostConnection(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	d := cluster.Leader("orders")
	p := newProxy(t, d.Address)
	c, err := client.New("http://"+p.listener.Addr().String(), client.Options{Token: clienttest.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	last, lost := uint64(0), 0
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for e, err := range c.Events(ctx, "") {
		switch {
		case err != nil:
			lost++
			p.cut(false)
			continue
		case e.Missed != nil:
			t.Fatalf("missed: %+v", e.Missed)
		}
		if e.Transition.ID != last+1 {
			t.Fatalf("transition %d after %d", e.Transition.ID, last)
		}
		last = e.Transition.ID
		if e.Transition.To != "leading" {
			continue
		}
		if lost == 2 {
			break
		}
		// While the connection is cut it gives up leadership, and leads again.
		p.cut(true)
		if _, err := d.Client.StepDown(ctx, "orders", ""); err != nil {
			t.Fatal(err)
		}
		cluster.Await("the next epoch", func() *clienttest.Daemon {
			if now, err := d.Election("orders"); err != nil || !now.Leading || now.Epoch <= e.Transition.Epoch {
				return nil
			}
			return d
		})
	}
	if lost != 2 {
		t.Errorf("the connection was lost %d times, want 2: %v", lost, ctx.Err())
	}
}

func TestEventsSayWhatIsLost(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	d := cluster.Leader("orders")
	first := next(t, d.Client, "")
	if first.Transition == nil {
		t.Fatalf("first event: %+v", first)
	}
	if second := next(t, d.Client, first.ID); second.Transition == nil || second.Transition.ID != first.Transition.ID+1 {
		t.Errorf("after %s came %+v", first.ID, second)
	}
	d.Kill()
	d.Start()
	cluster.Leader("orders")
	for after, why := range map[string]string{first.ID: "restarted", "no-id": "unknown"} {
		e := next(t, d.Client, after)
		if e.Missed == nil || e.Missed.Why != why || e.Missed.After != after {
			t.Errorf("after %q: %+v, want missed: %s", after, e.Missed, why)
		}
		if then := next(t, d.Client, e.ID); then.Transition == nil || then.Transition.ID != 1 {
			t.Errorf("what was missed is followed by %+v, want the first transition that is kept", then)
		}
	}
}

// next returns the first event after an id.
func next(t *testing.T, c *client.Client, after string) client.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for e, err := range c.Events(ctx, after) {
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	t.Fatal("no event")
	return client.Event{}
}

func TestEventsOfAnUnknownElectionEnd(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	told := 0
	for _, err := range cluster.Nodes[0].Client.Events(t.Context(), "", "invoices") {
		var said *client.Error
		if !errors.As(err, &said) || said.Status != http.StatusNotFound {
			t.Fatalf("got %v, want not found", err)
		}
		told++
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}
