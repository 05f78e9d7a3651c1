package store

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/electd/electd/arbiter/arbitertest"
)

// Way is one client's way to the store, which a test can break.
type Way struct {
	store *Store

	mu     sync.Mutex
	fate   func(act func()) // of the next PUT; nil: it is carried out and answered
	silent bool
}

// NewWay returns a way to the store, whole at first.
func NewWay(s *Store) *Way { return &Way{store: s} }

// ServeHTTP passes the request on, unless the way is broken.
func (w *Way) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	fate, silent := w.fate, w.silent
	if r.Method == http.MethodPut {
		w.fate = nil
	}
	w.mu.Unlock()
	broken := silent || fate != nil && r.Method == http.MethodPut
	if !broken {
		w.store.ServeHTTP(answer, r)
		return
	}
	sent, _ := io.ReadAll(r.Body) // before the body's end the server does not see that the client is gone
	if !silent {
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(sent))
		fate(func() { w.store.ServeHTTP(httptest.NewRecorder(), again) })
	}
	<-r.Context().Done() // the client hears nothing
}

// Faults are the handles for the conformance kit.
func (w *Way) Faults() arbitertest.Faults {
	return arbitertest.Faults{
		LoseRequest: func() { w.doom(func(func()) {}) },
		LoseAnswer:  func() { w.doom(func(act func()) { act() }) },
		HoldWrite: func() (release func()) {
			released, done := make(chan struct{}), make(chan struct{})
			w.doom(func(act func()) {
				go func() {
					defer close(done)
					<-released
					act()
				}()
			})
			return func() {
				close(released)
				<-done
			}
		},
		Silence: func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.silent = true
		},
	}
}

func (w *Way) doom(fate func(act func())) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fate = fate
}
