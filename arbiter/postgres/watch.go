package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/electd/electd/core"
)

// Watch sends the record whenever it was written; writes that follow one another
// quickly may be told as one. The channel closes when ctx ends, when the arbiter
// is closed, or when the connection is lost. It takes a connection of its own,
// and none through a pooler that shares them between transactions.
func (a *Arbiter) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	path, err := a.path(key)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if !a.enter() {
		return nil, fmt.Errorf("watch %s in %s: %w", path, a.where(), errClosed)
	}
	conn, err := a.listen(ctx)
	if err != nil {
		a.watches.Done()
		return nil, fmt.Errorf("watch %s in %s: %w", path, a.where(), err)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(a.closing, cancel)
	hints := make(chan core.Snapshot, 1)
	go func() {
		defer a.watches.Done()
		defer stop()
		defer cancel()
		defer close(hints)
		a.follow(ctx, conn, path, hints)
		hangUp(conn)
	}()
	return hints, nil
}

// enter counts a watch, unless the arbiter is closed.
func (a *Arbiter) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing.Err() != nil {
		return false
	}
	a.watches.Add(1)
	return true
}

// listen returns a connection that hears of every write.
func (a *Arbiter) listen(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := a.config.bounded(ctx)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, a.pool.Config().ConnConfig)
	if err != nil {
		return nil, connectCode(err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		hangUp(conn)
		return nil, readCode(err)
	}
	return conn, nil
}

// follow sends the record after every notification about it, until ctx ends or
// something fails.
func (a *Arbiter) follow(ctx context.Context, conn *pgx.Conn, path string, hints chan core.Snapshot) {
	payload := a.payload(path)
	for {
		heard, err := conn.WaitForNotification(ctx)
		if err != nil {
			return
		}
		if heard.Payload != payload {
			continue
		}
		limit, cancel := a.config.bounded(ctx)
		snapshot, err := a.read(limit, path)
		cancel()
		if err != nil {
			return
		}
		offer(hints, snapshot)
	}
}

// hangUp ends a connection, at once if the server does not listen any more.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
	<-conn.PgConn().CleanupDone()
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
