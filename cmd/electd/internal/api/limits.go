package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// What a client may use of the daemon.
const (
	maxConnections = 256 // over TCP; more wait to be accepted
	maxStreams     = 64  // of events, at once
	maxGuards      = 256 // an election
	maxHeader      = 16 << 10
	maxRequest     = 64 << 10 // a body

	readWithin   = 5 * time.Second  // a request must have arrived
	answerWithin = 30 * time.Second // and be answered; a step-down waits for its release
	idleFor      = 2 * time.Minute
	writeWithin  = 10 * time.Second // one event must have been taken
	signOfLife   = 10 * time.Second // comes on a stream where nothing happens
)

// streams counts the event streams that are open.
type streams struct{ open atomic.Int64 }

// enter reports whether one more may be opened; leave ends it.
func (s *streams) enter() bool {
	if s.open.Add(1) > maxStreams {
		s.open.Add(-1)
		return false
	}
	return true
}

func (s *streams) leave() { s.open.Add(-1) }

// bounded gives a request that is answered at once its bounds of size and time.
// The body is read before anything else, as the deadline for that must not run on
// while the answer is made.
func bounded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		now := time.Now()
		// Not every writer has deadlines; those of the server's connections do.
		_ = control.SetWriteDeadline(now.Add(answerWithin))
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(now.Add(readWithin))
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
			if err != nil {
				fail(w, http.StatusBadRequest, fmt.Errorf("the request's body could not be read, or is longer than %d bytes: %w", maxRequest, err))
				return
			}
			_ = control.SetReadDeadline(time.Time{})
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerWithin-time.Second)
		defer cancel()
		next(w, r.WithContext(ctx))
	}
}
