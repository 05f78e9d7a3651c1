package gcs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// idleLife is how long an unused connection is trusted. A network that died
// meanwhile says nothing, and a write on such a connection would spend its whole
// deadline on silence; a new handshake is cheaper.
const idleLife = 5 * time.Second

// maxConnections bounds the pool when very many elections write at once.
const maxConnections = 64

// wire carries requests to the store on connections of the arbiter's own.
type wire struct {
	pool     *http.Transport
	requests atomic.Int64
}

// newWire speaks HTTP/1.1 only: one dead connection must not take every request
// with it.
func newWire(connectTimeout time.Duration) *wire {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &wire{pool: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: connectTimeout,
		IdleConnTimeout:     idleLife,
		MaxIdleConnsPerHost: 8,
		MaxConnsPerHost:     maxConnections,
		DisableCompression:  true,
		Protocols:           protocols,
	}}
}

func (w *wire) close() { w.pool.CloseIdleConnections() }

// errNotAsked keeps the SDK from what it does beside the request: it looks up the
// bucket for its traces, which costs a request and a permission.
var errNotAsked = errors.New("the arbiter asks for records only")

// RoundTrip sends one request, once, and notes what its flight wants to know.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, wanted := r.Context().Value(bucketKey{}).(bool); !wanted && !ofObject(r) {
		return nil, errNotAsked
	}
	w.requests.Add(1)
	f, followed := r.Context().Value(flightKey{}).(*flight)
	if !followed {
		return w.pool.RoundTrip(r)
	}
	response, err := w.pool.RoundTrip(r.WithContext(f.trace(r.Context())))
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		f.date.Store(&date)
	}
	return response, nil
}

// ofObject reports whether a request is for an object, not for its bucket.
func ofObject(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/o/") || strings.HasSuffix(r.URL.Path, "/o")
}

type bucketKey struct{}

// lookingUpBucket returns a context whose requests may be for the bucket.
func lookingUpBucket(ctx context.Context) context.Context {
	return context.WithValue(ctx, bucketKey{}, true)
}

// flight follows one request: whether any of its bytes may have left, and the
// store's date when it answered. Until a connection is there, none has left; from
// then on nobody can tell.
type flight struct {
	left atomic.Bool
	date atomic.Pointer[time.Time]
}

type flightKey struct{}

// follow returns a context whose one request is followed.
func follow(ctx context.Context) (context.Context, *flight) {
	f := &flight{}
	return context.WithValue(ctx, flightKey{}, f), f
}

// trace returns ctx with hooks on the connection. net/http goes back for another
// one only if it wrote nothing at all on the first (an upload is not repeatable),
// hence GetConn clears what GotConn set.
func (f *flight) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { f.left.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { f.left.Store(true) },
	})
}

// storeTime is the store's date, zero if it gave none.
func (f *flight) storeTime() time.Time {
	if date := f.date.Load(); date != nil {
		return *date
	}
	return time.Time{}
}
