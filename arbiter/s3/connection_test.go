package s3_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// relay forwards TCP connections to a server and can make those that stand
// fall silent, as a network does that died under them.
type relay struct {
	t        *testing.T
	listener net.Listener
	target   string

	mu     sync.Mutex
	frozen chan struct{} // closed: what was accepted before is silent
	open   []net.Conn
}

func newRelay(t *testing.T, store servers.S3) (*relay, servers.S3) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{t: t, listener: l, target: strings.TrimPrefix(store.Endpoint, "http://"), frozen: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() { r.accept(&wg) })
	t.Cleanup(func() {
		l.Close()
		r.freeze()
		r.mu.Lock()
		for _, c := range r.open {
			c.Close()
		}
		r.mu.Unlock()
		wg.Wait()
	})
	store.Endpoint = "http://" + l.Addr().String()
	return r, store
}

func (r *relay) accept(wg *sync.WaitGroup) {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			client.Close()
			continue
		}
		r.mu.Lock()
		frozen := r.frozen
		r.open = append(r.open, client, server)
		r.mu.Unlock()
		wg.Go(func() { forward(server, client, frozen) })
		wg.Go(func() { forward(client, server, frozen) })
	}
}

// forward copies until the connection is frozen; then it swallows.
func forward(to, from net.Conn, frozen <-chan struct{}) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		select {
		case <-frozen:
			_, _ = io.Copy(io.Discard, from)
			return
		default:
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

// freeze silences every connection that stands; later ones work.
func (r *relay) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.frozen)
	r.frozen = make(chan struct{})
}

// An idle connection is not trusted for long.
func TestIdleConnectionsAreDropped(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: takes 6 s")
	}
	t.Parallel()
	relay, store := newRelay(t, servers.Strict3(t))
	a := open(t, store, func(c *s3.Config) { c.RequestTimeout = time.Second })
	v, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	relay.freeze()
	time.Sleep(6 * time.Second)
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Expected: v, Record: []byte("2")}); err != nil {
		t.Fatalf("write after a pause: %v", err)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	store := servers.Strict3(t)
	before := goleak.IgnoreCurrent()
	c := s3.Config{Bucket: store.Bucket, Region: store.Region, Endpoint: store.Endpoint, AccessKeyID: store.AccessKeyID, SecretAccessKey: store.SecretAccessKey}
	a, err := s3.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(context.Background(), "k"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Read(context.Background(), "k"); !errors.Is(err, core.ErrUnavailable) { // and leaves no connection either
		t.Errorf("a read after Close: %v, want unavailable", err)
	}
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"))
}
