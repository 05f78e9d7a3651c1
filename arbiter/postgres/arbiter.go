// Package postgres is the arbiter on a PostgreSQL database, version 12 or newer:
// one row a record, a random version, one UPDATE that names the expected version
// as the swap, and NOTIFY as the hint that something changed.
//
// The database must not forget what it has committed. One server with its disk
// does not; after a failover to a standby that is not synchronous the newest lease
// may be gone, and then two nodes may lead.
package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/electd/electd/core"
)

// maxRecord is the largest record an arbiter must carry, in bytes (design 3.2).
const maxRecord = 64 << 10

// channel is the name that NOTIFY and LISTEN share.
const channel = "electd"

// Arbiter keeps records in a table. It implements core.Arbiter and core.Watcher.
type Arbiter struct {
	config Config
	table  string // quoted
	dialer *dialer
	pool   *pgxpool.Pool
	tabled atomic.Bool // the table was seen

	closing context.Context // ends with Close
	close   context.CancelFunc
	mu      sync.Mutex // orders watches.Add before Close's watches.Wait
	watches sync.WaitGroup
}

var (
	_ core.Arbiter = (*Arbiter)(nil)
	_ core.Watcher = (*Arbiter)(nil)

	errClosed = fmt.Errorf("%w: the arbiter is closed", core.ErrUnavailable)
)

// New checks c and returns the arbiter. It asks nothing of the database. Wrong
// attributes are joined *core.AttributeErrors.
func New(_ context.Context, c Config) (*Arbiter, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	dialer := newDialer(c.ConnectTimeout)
	config, err := c.pool(dialer)
	if err != nil {
		return nil, err
	}
	if err := lastingCommit(config); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, wrong("url", "cannot be used: "+err.Error(), "write it as postgres://user@host:5432/database")
	}
	closing, end := context.WithCancel(context.Background())
	return &Arbiter{
		config:  c,
		table:   pgx.Identifier(strings.Split(c.Table, ".")).Sanitize(),
		dialer:  dialer,
		pool:    pool,
		closing: closing,
		close:   end,
	}, nil
}

// closeTime is how long Close waits for connections to end in good order.
const closeTime = time.Second

// Close ends the watches and the connections, after the calls in flight if they
// end soon.
func (a *Arbiter) Close() error {
	a.mu.Lock()
	a.close()
	a.mu.Unlock()
	overdue := time.AfterFunc(closeTime, a.dialer.cut)
	defer overdue.Stop()
	a.watches.Wait()
	a.pool.Close()
	return nil
}

// where names the database in messages, without what is secret about it.
func (a *Arbiter) where() string {
	c := a.pool.Config().ConnConfig
	return fmt.Sprintf("table %s of postgres at %s:%d/%s", a.config.Table, c.Host, c.Port, c.Database)
}

func (a *Arbiter) path(key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("%w: the key is empty", core.ErrInvalid)
	}
	if strings.Contains(key, "\x00") {
		return "", fmt.Errorf("%w: the key contains a zero byte", core.ErrInvalid)
	}
	if a.config.Prefix == "" {
		return key, nil
	}
	return a.config.Prefix + "/" + key, nil
}

// payload is what a notification says: short, whatever the key.
func (a *Arbiter) payload(path string) string {
	sum := sha256.Sum256([]byte(a.config.Table + "\x00" + path))
	return hex.EncodeToString(sum[:16])
}
