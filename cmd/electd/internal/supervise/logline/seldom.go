package logline

import (
	"sync"
	"time"
)

// seldom is how often it is said that something still fails.
const seldom = time.Minute

// Seldom has what fails again and again said at first and then once a minute.
// The zero value is ready; several goroutines may use it.
type Seldom struct {
	mu   sync.Mutex
	said map[string]time.Time
}

// Due reports whether a failure is to be said now, and takes it as said.
func (s *Seldom) Due(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.said[what]; ok && time.Since(last) < seldom {
		return false
	}
	if s.said == nil {
		s.said = map[string]time.Time{}
	}
	s.said[what] = time.Now()
	return true
}

// Over forgets every failure: the next one is said at once.
func (s *Seldom) Over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.said)
}
