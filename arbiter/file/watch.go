package file

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/electd/electd/core"
)

// watchEvery is how often a watched record is looked at: one stat(2), which
// asks nothing of the disk.
const watchEvery = 100 * time.Millisecond

// Watch sends the record when it has changed. Changes that follow one another
// quickly may be told as one. While the record cannot be read nothing is sent, and
// it is looked at again and again. The channel is closed when ctx or the arbiter
// ends.
func (a *Arbiter) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	name, err := fileName(key)
	if err != nil {
		return nil, fmt.Errorf("watching the record: %w", err)
	}
	path := filepath.Join(a.dir, name)
	seen, _ := os.Stat(path)
	snapshots := make(chan core.Snapshot, 1)
	if !a.start(func() {
		defer close(snapshots)
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-a.closing.Done():
				return
			case <-ticks.C:
			}
			now, _ := os.Stat(path)
			if same(seen, now) {
				continue
			}
			s, err := load(path)
			if err != nil {
				continue // it may be mended without looking changed
			}
			seen = now
			offer(snapshots, s)
		}
	}) {
		return nil, errClosed
	}
	return snapshots, nil
}

// same reports whether both describe the same record; nil is an absent one.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}

// offer leaves s in the channel, in place of one that nobody has taken yet.
func offer(snapshots chan core.Snapshot, s core.Snapshot) {
	for {
		select {
		case snapshots <- s:
			return
		default:
		}
		select {
		case <-snapshots:
		default:
		}
	}
}
