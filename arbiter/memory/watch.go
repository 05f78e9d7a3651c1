package memory

import (
	"context"

	"github.com/electd/electd/core"
)

// watcher is one watch. Its channel is used under the store's mutex only.
type watcher struct {
	key       string
	snapshots chan core.Snapshot
}

// Watch sends what is stored under key after every change; one that nobody has
// taken yet is replaced by the next. The channel is closed when ctx or the client
// ends.
func (c *Client) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	if err := c.unsent(ctx); err != nil {
		return nil, err
	}
	w := &watcher{key: key, snapshots: make(chan core.Snapshot, 1)}
	c.store.mu.Lock()
	c.store.watchers[w] = struct{}{}
	c.store.mu.Unlock()
	go func() {
		select {
		case <-ctx.Done():
		case <-c.closing:
		}
		c.store.mu.Lock()
		defer c.store.mu.Unlock()
		delete(c.store.watchers, w)
		close(w.snapshots)
	}()
	return w.snapshots, nil
}

// tell hands every watcher of key what is stored there now. s.mu is held.
func (s *Store) tell(key string) {
	for w := range s.watchers {
		if w.key != key {
			continue
		}
		select {
		case <-w.snapshots:
		default:
		}
		w.snapshots <- s.get(key)
	}
}
