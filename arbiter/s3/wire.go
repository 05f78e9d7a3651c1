package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// idleLife is how long an unused connection is trusted. A network that died
// meanwhile says nothing, and a write on such a connection would spend its whole
// deadline on silence; a new handshake is cheaper.
const idleLife = 5 * time.Second

// warmLife is how long a connection dialled ahead of need is kept.
const warmLife = 15 * time.Second

// maxConnections bounds the pool when very many elections write at once.
const maxConnections = 64

// wire carries requests to the store. It is a pool of connections of the
// arbiter's own, plus at most one connection dialled ahead of need.
type wire struct {
	pool     *http.Transport
	dialler  *http.Transport // of the connection dialled ahead
	requests atomic.Int64
	name     atomic.Pointer[string] // what the server calls itself

	mu     sync.Mutex
	warm   *http.ClientConn
	dialed time.Time // when warm was
	expiry *time.Timer
	closed bool
}

// newWire makes a wire that trusts roots, or the system's if nil.
func newWire(roots *x509.CertPool, connectTimeout time.Duration) *wire {
	w := &wire{pool: newTransport(roots, connectTimeout), dialler: newTransport(roots, connectTimeout)}
	// Only the pool is bounded: a transport that counts its connections
	// miscounts those made by NewClientConn, and panics when they close.
	w.pool.MaxConnsPerHost = maxConnections
	return w
}

// newTransport speaks HTTP/1.1 only: one dead connection must not take every
// request with it.
func newTransport(roots *x509.CertPool, connectTimeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleLife,
		MaxIdleConnsPerHost: 8,
		DisableCompression:  true,
		Protocols:           protocols,
	}
}

// RoundTrip sends one request, once, on the connection dialled ahead if it is
// free, else on one of the pool.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.requests.Add(1)
	response, err := w.send(r)
	if err == nil {
		name := response.Header.Get("Server")
		w.name.Store(&name)
	}
	return response, err
}

func (w *wire) send(r *http.Request) (*http.Response, error) {
	c := w.takeWarm()
	if c == nil {
		return w.pool.RoundTrip(r)
	}
	flightOf(r.Context()).left.Store(true)
	response, err := c.RoundTrip(r)
	if err != nil {
		c.Close()
		return nil, err
	}
	response.Body = &closeBoth{response.Body, c}
	return response, nil
}

// server is what the server called itself in its latest answer.
func (w *wire) server() string {
	if name := w.name.Load(); name != nil {
		return *name
	}
	return ""
}

// takeWarm hands out the connection dialled ahead, if it stands.
func (w *wire) takeWarm() *http.ClientConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.warm
	if c == nil {
		return nil
	}
	w.warm = nil
	w.expiry.Stop()
	if c.Reserve() != nil {
		c.Close()
		return nil
	}
	return c
}

// closeBoth closes a connection with the body of its only response.
type closeBoth struct {
	io.ReadCloser
	conn *http.ClientConn
}

func (b *closeBoth) Close() error {
	err := b.ReadCloser.Close()
	b.conn.Close()
	return err
}

// heat drops every idle connection and dials one anew for the next request to
// the given host.
func (w *wire) heat(ctx context.Context, to *url.URL) error {
	w.pool.CloseIdleConnections()
	port := to.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[to.Scheme]
	}
	c, err := w.dialler.NewClientConn(ctx, to.Scheme, net.JoinHostPort(to.Hostname(), port))
	if err != nil {
		return err
	}
	w.keepWarm(c)
	return nil
}

func (w *wire) keepWarm(c *http.ClientConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		c.Close()
		return
	}
	w.dropWarm()
	w.warm, w.dialed = c, time.Now()
	w.expiry = time.AfterFunc(warmLife, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.warm == c {
			w.dropWarm()
		}
	})
}

// dropWarm closes the connection dialled ahead, if there is one. w.mu is held.
func (w *wire) dropWarm() {
	if w.warm == nil {
		return
	}
	w.warm.Close()
	w.warm = nil
	w.expiry.Stop()
}

// isWarm tells whether a connection dialled less than within ago stands ready.
func (w *wire) isWarm(within time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.warm != nil && w.warm.Err() == nil && time.Since(w.dialed) < within
}

func (w *wire) close() {
	w.mu.Lock()
	w.closed = true
	w.dropWarm()
	w.mu.Unlock()
	w.pool.CloseIdleConnections()
}
