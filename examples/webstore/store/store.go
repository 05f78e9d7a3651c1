// Package store is a web server that keeps what is PUT under a path and honours
// If-Match and If-None-Match, as HTTP says it should (RFC 9110, section 13): the
// store behind the two examples of a plugin.
package store

import (
	"crypto/rand"
	"io"
	"net/http"
	"sync"
)

// Store keeps bodies in memory, each with the ETag of its last PUT.
type Store struct {
	mu     sync.Mutex
	bodies map[string]body
}

type body struct {
	etag  string
	bytes []byte
}

// New returns an empty store.
func New() *Store { return &Store{bodies: map[string]body{}} }

// ServeHTTP answers GET and conditional PUT.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s.get(w, r)
	case http.MethodPut:
		s.put(w, r)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (s *Store) get(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	found, is := s.bodies[r.URL.Path]
	s.mu.Unlock()
	if !is {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", found.etag)
	_, _ = w.Write(found.bytes)
}

func (s *Store) put(w http.ResponseWriter, r *http.Request) {
	bytes, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	etag, stored := s.swap(r.URL.Path, r.Header.Get("If-Match"), bytes)
	if !stored {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusNoContent)
}

// swap stores bytes if the path's ETag is the expected one; none is expected
// where the path must be new.
func (s *Store) swap(path, expected string, bytes []byte) (etag string, stored bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bodies[path].etag != expected {
		return "", false
	}
	etag = `"` + rand.Text() + `"`
	s.bodies[path] = body{etag, bytes}
	return etag, true
}
