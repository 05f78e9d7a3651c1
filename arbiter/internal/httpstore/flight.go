package httpstore

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"
)

// Flight follows one request: whether any of its bytes may have left, and the
// store's date when it answered. Until a connection is there, none has left; from
// then on nobody can tell.
type Flight struct {
	left atomic.Bool
	cut  atomic.Bool // the other side ended the connection in the TLS handshake
	date atomic.Pointer[time.Time]
}

type flightKey struct{}

// Follow returns a context whose one request on a Wire is followed.
func Follow(ctx context.Context) (context.Context, *Flight) {
	f := &Flight{}
	return context.WithValue(ctx, flightKey{}, f), f
}

// flightOf returns the flight that ctx follows; a request that nobody follows gets
// one of its own.
func flightOf(ctx context.Context) *Flight {
	if f, ok := ctx.Value(flightKey{}).(*Flight); ok {
		return f
	}
	return &Flight{}
}

// trace returns ctx with hooks on the connection. net/http goes back for another
// one only if it wrote nothing at all on the first (an upload is not repeatable),
// hence GetConn clears what GotConn set.
func (f *Flight) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			f.left.Store(false)
			f.cut.Store(false)
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { f.cut.Store(ended(err)) },
		GotConn:          func(httptrace.GotConnInfo) { f.left.Store(true) },
	})
}

// ended reports whether an error is the other side's end of a connection. Which one
// it is depends on whether it had read all that was sent.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// MayHaveLeft reports whether anything of the request may have reached the store.
func (f *Flight) MayHaveLeft() bool { return f.left.Load() }

// StoreTime is the store's date when it answered; zero if it gave none.
func (f *Flight) StoreTime() time.Time {
	if date := f.date.Load(); date != nil {
		return *date
	}
	return time.Time{}
}
