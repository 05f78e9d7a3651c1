package bully

import (
	"context"
	"fmt"
	"time"

	"github.com/electd/electd/core"
)

// Watch reads the key whenever there is news of it and passes on what has
// changed. News comes by direct messages to voters, and by gossip to everybody;
// it may be lost: a watch is a hint. A node without a vote, which gossip alone
// tells, looks for itself now and then.
func (a *Arbiter) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	if a.ctx.Err() != nil {
		return nil, fmt.Errorf("bully: closed: %w", core.ErrUnavailable)
	}
	changed, stop := a.news.subscribe(key)
	snapshots := make(chan core.Snapshot)
	started := a.spawn(func() {
		defer close(snapshots)
		defer stop()
		a.follow(ctx, key, changed, snapshots)
	})
	if !started {
		stop()
		return nil, fmt.Errorf("bully: closed: %w", core.ErrUnavailable)
	}
	return snapshots, nil
}

func (a *Arbiter) follow(ctx context.Context, key string, changed <-chan struct{}, snapshots chan<- core.Snapshot) {
	var last core.Version
	var look <-chan time.Time
	for {
		if a.voter == nil {
			look = time.After(jitter(a.profile.status * 2 / 3))
		}
		select {
		case _, open := <-changed:
			if !open {
				return
			}
		case <-look:
		case <-ctx.Done():
			return
		case <-a.ctx.Done():
			return
		}
		reading, cancel := context.WithTimeout(ctx, 2*time.Second)
		s, err := a.Read(reading, key)
		cancel()
		if err != nil || s.Version == last {
			continue
		}
		last = s.Version
		select {
		case snapshots <- s:
		case <-ctx.Done():
			return
		case <-a.ctx.Done():
			return
		}
	}
}
