package wire

import (
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// repeatAfter is when a warning that still holds may be said again.
const repeatAfter = 10 * time.Minute

// quiet logs warnings that others can provoke at will: each key once in a
// while, and not without bound.
type quiet struct {
	log hclog.Logger

	mu   sync.Mutex
	said map[string]time.Time
}

func newQuiet(log hclog.Logger) *quiet {
	return &quiet{log: log, said: make(map[string]time.Time)}
}

func (q *quiet) warn(key, message string, pairs ...any) {
	q.mu.Lock()
	now := time.Now()
	at, known := q.said[key]
	if known && now.Sub(at) < repeatAfter {
		q.mu.Unlock()
		return
	}
	if len(q.said) >= 1000 {
		clear(q.said)
	}
	q.said[key] = now
	q.mu.Unlock()
	q.log.Warn(message, pairs...)
}

// forget lets the next warning of key be said at once.
func (q *quiet) forget(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.said, key)
}
