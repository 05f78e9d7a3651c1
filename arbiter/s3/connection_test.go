package s3_test

import (
	"context"
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

	mu      sync.Mutex
	dialled int
	frozen  chan struct{} // closed: what was accepted before is silent
	open    []net.Conn
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
		r.dialled++
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

func (r *relay) dials() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dialled
}

func TestWarmDialsAheadAndCostsNoRequest(t *testing.T) {
	relay, store := newRelay(t, servers.Strict3(t))
	a := open(t, store)
	var wg sync.WaitGroup
	for range 50 { // as many elections miss the same peer
		wg.Go(func() { a.Warm(context.Background()) })
	}
	wg.Wait()
	for end := time.Now().Add(5 * time.Second); relay.dials() == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // dialling is over before the relay knows
	}
	if relay.dials() != 1 || a.Requests() != 0 {
		t.Fatalf("%d connections and %d requests, want 1 and 0", relay.dials(), a.Requests())
	}
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if relay.dials() != 1 || a.Requests() != 1 {
		t.Fatalf("%d connections and %d requests after a write, want 1 and 1", relay.dials(), a.Requests())
	}
}

// A network that died silently under an idle connection must not cost the next
// write its deadline once Warm was called.
func TestWarmReplacesDeadConnections(t *testing.T) {
	relay, store := newRelay(t, servers.Strict3(t))
	a := open(t, store, func(c *s3.Config) { c.RequestTimeout = time.Second })
	ctx := context.Background()
	v, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	relay.freeze()
	a.Warm(ctx)
	if v, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte("2")}); err != nil {
		t.Fatalf("write after Warm: %v", err)
	}
	relay.freeze()
	if _, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte("3")}); err != nil {
		// The connection dialled ahead was used and closed, so this one was new.
		t.Fatalf("second write: %v", err)
	}
}

// A warm connection that died before it was needed is not used.
func TestWarmConnectionThatTheServerClosed(t *testing.T) {
	relay, store := newRelay(t, servers.Strict3(t))
	a := open(t, store)
	a.Warm(context.Background())
	deadline := time.Now().Add(5 * time.Second)
	for relay.dials() == 0 && time.Now().Before(deadline) { // the relay accepts in its own time
		time.Sleep(time.Millisecond)
	}
	relay.mu.Lock()
	for _, c := range relay.open {
		c.Close()
	}
	relay.mu.Unlock()
	for { // the close needs a moment to arrive
		_, err := a.Read(context.Background(), "k")
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	if relay.dials() != 2 {
		t.Errorf("%d connections, want 2", relay.dials())
	}
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
	a.Warm(context.Background())
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a.Warm(context.Background()) // after Close: must not leave a connection either
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"))
}
