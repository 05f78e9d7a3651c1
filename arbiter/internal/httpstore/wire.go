// Package httpstore is what arbiters on object stores have in common that are
// spoken to over HTTP: connections of their own, whether a request may have left,
// how old an object is by the store's own dates, and how a failure is told.
package httpstore

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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

// Wire carries requests to a store on connections of the arbiter's own.
type Wire struct {
	pool     *http.Transport
	requests atomic.Int64
	server   atomic.Pointer[string]
}

// NewWire makes a wire that trusts roots, or the system's if nil. It speaks
// HTTP/1.1 only: one dead connection must not take every request with it.
func NewWire(roots *x509.CertPool, connectTimeout time.Duration) *Wire {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &Wire{pool: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleLife,
		MaxIdleConnsPerHost: 8,
		MaxConnsPerHost:     maxConnections,
		DisableCompression:  true,
		Protocols:           protocols,
	}}
}

// ErrHandshake is in the error of a request for which there was no connection because
// the other side ended it in the TLS handshake, as one that speaks no TLS may do.
var ErrHandshake = errors.New("the connection was ended in the TLS handshake")

// RoundTrip sends one request, once, and notes what its flight wants to know.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.requests.Add(1)
	f := flightOf(r.Context())
	response, err := w.pool.RoundTrip(r.WithContext(f.trace(r.Context())))
	switch {
	case err != nil && f.cut.Load():
		return nil, fmt.Errorf("%w: %w", ErrHandshake, err)
	case err != nil:
		return nil, err
	}
	name := response.Header.Get("Server")
	w.server.Store(&name)
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		f.date.Store(&date)
	}
	return response, nil
}

// Requests returns how many requests were sent.
func (w *Wire) Requests() int64 { return w.requests.Load() }

// Server is what the server called itself in its latest answer; empty if it did
// not.
func (w *Wire) Server() string {
	if name := w.server.Load(); name != nil {
		return *name
	}
	return ""
}

// Close drops the connections that are not in use.
func (w *Wire) Close() { w.pool.CloseIdleConnections() }
