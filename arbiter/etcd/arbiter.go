// Package etcd is the arbiter on an etcd cluster, version 3.4 or newer: one key a
// record, its modification revision as the version, a transaction that compares
// it as the swap, and etcd's watch as the hint that something changed.
//
// etcd is linearizable by itself. What this package adds is to say of every
// failed write whether it can have happened: it was never sent, the cluster
// refused it before it entered the log, or nobody knows.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/electd/electd/core"
)

// maxRecord is the largest record an arbiter must carry, in bytes (design 3.2).
const maxRecord = 64 << 10

// Arbiter keeps records in an etcd cluster. It implements core.Arbiter and
// core.Watcher.
type Arbiter struct {
	config Config
	client *clientv3.Client
	token  *token

	mu      sync.Mutex
	closed  bool
	watches sync.WaitGroup
}

var (
	_ core.Arbiter = (*Arbiter)(nil)
	_ core.Watcher = (*Arbiter)(nil)

	errClosed = fmt.Errorf("%w: the arbiter is closed", core.ErrUnavailable)
)

// New checks c and returns the arbiter. It asks nothing of the cluster. Wrong
// attributes are joined *core.AttributeErrors.
func New(_ context.Context, c Config) (*Arbiter, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	security, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	a := &Arbiter{config: c, token: &token{username: c.Username, password: c.Password}}
	a.client, err = clientv3.New(clientv3.Config{
		Endpoints:            slices.Clone(c.Endpoints),
		TLS:                  security,
		DialTimeout:          c.ConnectTimeout,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 3 * time.Second,
		// One attempt. The client's own retries would also repeat a write whose
		// deadline the cluster saw pass a moment before we did.
		MaxUnaryRetries: 1,
		Logger:          zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithStatsHandler(sentMarker{}),
			grpc.WithChainUnaryInterceptor(overhear),
			grpc.WithPerRPCCredentials(a.token),
			// A cluster that comes back is noticed within a second, however long
			// it was away.
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
				MinConnectTimeout: c.ConnectTimeout,
			}),
		},
	})
	if err != nil {
		return nil, wrong("endpoints", "cannot be used: "+err.Error(), "write each as https://host:2379")
	}
	return a, nil
}

// Close ends the watches and the connections.
func (a *Arbiter) Close() error {
	a.mu.Lock()
	again := a.closed
	a.closed = true
	a.mu.Unlock()
	if again {
		return nil
	}
	err := a.client.Close()
	a.watches.Wait()
	if errors.Is(err, context.Canceled) { // what it always says
		return nil
	}
	return err
}

// enter counts a watch, unless the arbiter is closed.
func (a *Arbiter) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.watches.Add(1)
	}
	return !a.closed
}

// where names the cluster in messages.
func (a *Arbiter) where() string {
	return "etcd at " + strings.Join(a.config.Endpoints, ",")
}

func (a *Arbiter) path(key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("%w: the key is empty", core.ErrInvalid)
	}
	return a.config.Prefix + "/" + key, nil
}

// bounded gives ctx the deadline of one request.
func (a *Arbiter) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, a.config.RequestTimeout)
}
