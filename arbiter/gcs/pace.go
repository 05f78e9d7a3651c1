package gcs

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// WriteInterval is how often Google Cloud Storage lets one object be replaced.
// Faster writes are answered 429, and for a while the next ones too.
const WriteInterval = time.Second

// pace spreads the writes of each object.
type pace struct {
	interval time.Duration

	mu      sync.Mutex
	objects map[string]*rate.Limiter
}

func newPace() *pace { return &pace{interval: WriteInterval, objects: map[string]*rate.Limiter{}} }

// wait returns when the object bears another write, or an error, at once, if that
// is after ctx's deadline.
func (p *pace) wait(ctx context.Context, object string) error {
	p.mu.Lock()
	limiter := p.objects[object]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Every(p.interval), 1)
		p.objects[object] = limiter
	}
	p.mu.Unlock()
	return limiter.Wait(ctx)
}
