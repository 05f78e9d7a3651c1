package etcd

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/electd/electd/core"
)

// Watch sends the record whenever it changes; changes that nobody takes in time
// are told as one. The channel closes when ctx ends, when the arbiter is closed,
// or when the member that serves the watch has lost its cluster.
func (a *Arbiter) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	path, err := a.path(key)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if !a.enter() {
		return nil, fmt.Errorf("watch %s at %s: %w", path, a.where(), errClosed)
	}
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	events, err := a.begin(ctx, path)
	if err != nil {
		cancel()
		a.watches.Done()
		return nil, fmt.Errorf("watch %s at %s: %w", path, a.where(), err)
	}
	hints := make(chan core.Snapshot, 1)
	go func() {
		defer a.watches.Done()
		defer cancel()
		defer close(hints)
		for answer := range events {
			if answer.Err() != nil {
				return
			}
			if n := len(answer.Events); n > 0 {
				offer(hints, seen(answer.Events[n-1]))
			}
		}
	}()
	return hints, nil
}

// begin starts a watch and waits until the member says that it stands.
func (a *Arbiter) begin(ctx context.Context, path string) (clientv3.WatchChan, error) {
	limit, cancel := a.bounded(ctx)
	defer cancel()
	// Always with a new token: of an expired one a member only says that
	// permission is denied.
	if err := a.token.renew(limit, a.client, a.token.current()); err != nil {
		return nil, readCode(err)
	}
	events := a.client.Watch(ctx, path, clientv3.WithCreatedNotify())
	select {
	case answer, open := <-events:
		switch {
		case !open:
			return nil, fmt.Errorf("%w: it ended at once", core.ErrUnavailable)
		case answer.Err() != nil:
			return nil, readCode(answer.Err())
		}
		return events, nil
	case <-limit.Done():
		return nil, fmt.Errorf("%w: no answer: %w", core.ErrUnavailable, limit.Err())
	}
}

func seen(event *clientv3.Event) core.Snapshot {
	if event.Type == mvccpb.DELETE {
		return core.Snapshot{}
	}
	return snapshotOf(event.Kv)
}

// offer leaves s in the channel, in place of one that nobody has taken yet.
func offer(hints chan core.Snapshot, s core.Snapshot) {
	for {
		select {
		case hints <- s:
			return
		default:
		}
		select {
		case <-hints:
		default:
		}
	}
}
