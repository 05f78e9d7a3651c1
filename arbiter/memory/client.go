package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// Client is one node's access to a Store. It implements core.Arbiter and
// core.Watcher.
type Client struct {
	store   *Store
	name    string
	closing chan struct{}
	close   func()
}

// Client returns a new client. Plans know it by its name, which need not be
// unique.
func (s *Store) Client(name string) *Client {
	closing := make(chan struct{})
	return &Client{
		store:   s,
		name:    name,
		closing: closing,
		close:   sync.OnceFunc(func() { close(closing) }),
	}
}

// Close ends the client's calls and watches. What is under way to the store still
// arrives there.
func (c *Client) Close() error {
	c.close()
	return nil
}

// Read returns the record stored under key.
func (c *Client) Read(ctx context.Context, key string) (core.Snapshot, error) {
	read := func() (core.Snapshot, error) { return c.store.Get(key), nil }
	return request(ctx, c, Call{Client: c.name, Key: key}, read, core.ErrUnavailable)
}

// CompareAndSwap stores swap.Record iff the stored version is still
// swap.Expected.
func (c *Client) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	swap.Record = append([]byte{}, swap.Record...) // it may arrive when the caller has moved on
	write := func() (core.Version, error) { return c.store.swap(swap) }
	return request(ctx, c, Call{Client: c.name, Write: true, Key: swap.Key, Swap: swap}, write, core.ErrUnknown)
}

// request carries out one request as its fate will have it. silence is the code
// of an answer that does not arrive in time.
func request[T any](ctx context.Context, c *Client, call Call, act func() (T, error), silence error) (T, error) {
	var none T
	if err := c.unsent(ctx); err != nil {
		return none, err
	}
	fate := c.store.fate(call)
	if fate.Refuse != nil {
		return none, fmt.Errorf("the store refused: %w", fate.Refuse)
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	arrive := func() {
		value, err := act()
		if fate.Instead != nil {
			value, err = none, fmt.Errorf("the store answered: %w", fate.Instead)
		}
		if !fate.Silent {
			answers <- answer{value, err}
		}
	}
	switch {
	case fate.Lost:
	case fate.Hold != nil:
		go func() {
			<-fate.Hold
			time.Sleep(fate.Arrives)
			arrive()
		}()
	case fate.Arrives > 0:
		time.AfterFunc(fate.Arrives, arrive)
	default:
		arrive()
	}

	var got answer
	select {
	case got = <-answers:
	case <-ctx.Done():
		return none, fmt.Errorf("%w: no answer from the store: %w", silence, ctx.Err())
	case <-c.closing:
		return none, fmt.Errorf("%w: closed before the store answered", silence)
	}
	if fate.Answers == 0 {
		return got.value, got.err
	}
	back := time.NewTimer(fate.Answers)
	defer back.Stop()
	select {
	case <-back.C:
		return got.value, got.err
	case <-ctx.Done():
		return none, fmt.Errorf("%w: no answer from the store: %w", silence, ctx.Err())
	case <-c.closing:
		return none, fmt.Errorf("%w: closed before the store answered", silence)
	}
}

// unsent returns why a request cannot be sent at all, or nil.
func (c *Client) unsent(ctx context.Context) error {
	select {
	case <-c.closing:
		return fmt.Errorf("%w: the client is closed", core.ErrUnavailable)
	default:
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: not sent: %w", core.ErrUnavailable, err)
	}
	return nil
}
