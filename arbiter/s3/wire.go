package s3

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// idleLife is how long an unused connection is trusted. A network that died
// meanwhile says nothing, and a write on such a connection would spend its whole
// deadline on silence; a new handshake is cheaper.
const idleLife = 5 * time.Second

// maxConnections bounds the pool when very many elections write at once.
const maxConnections = 64

// wire carries requests to the store, on a pool of connections of the arbiter's
// own.
type wire struct {
	pool     *http.Transport
	requests atomic.Int64
	name     atomic.Pointer[string] // what the server calls itself
}

// newWire makes a wire that trusts roots, or the system's if nil.
func newWire(roots *x509.CertPool, connectTimeout time.Duration) *wire {
	w := &wire{pool: newTransport(roots, connectTimeout)}
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

// RoundTrip sends one request, once.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.requests.Add(1)
	response, err := w.pool.RoundTrip(r)
	if err == nil {
		name := response.Header.Get("Server")
		w.name.Store(&name)
	}
	return response, err
}

// server is what the server called itself in its latest answer.
func (w *wire) server() string {
	if name := w.name.Load(); name != nil {
		return *name
	}
	return ""
}

// close drops the connections.
func (w *wire) close() { w.pool.CloseIdleConnections() }
