package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/electd/electd/core"
)

// Read returns the record stored under key. Its age is by the server's clock,
// from the moment the write was carried out, less the configured skew.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	path, err := a.path(key)
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("read: %w", err)
	}
	ctx, cancel := a.config.bounded(ctx)
	defer cancel()
	snapshot, err := a.read(ctx, path)
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("read %s from %s: %w", path, a.where(), err)
	}
	return snapshot, nil
}

func (a *Arbiter) read(ctx context.Context, path string) (core.Snapshot, error) {
	conn, err := a.acquire(ctx)
	if err != nil {
		return core.Snapshot{}, err
	}
	defer conn.Release()
	var (
		snapshot core.Snapshot
		standby  bool
		version  *string
		age      *int64 // microseconds
	)
	err = conn.QueryRow(ctx, `
		SELECT clock_timestamp(), pg_is_in_recovery(), version, record,
		       (extract(epoch FROM clock_timestamp() - written_at) * 1000000)::bigint
		FROM (SELECT 1) AS always LEFT JOIN `+a.table+` ON key = $1`, path).
		Scan(&snapshot.StoreTime, &standby, &version, &snapshot.Record, &age)
	if err != nil {
		a.forget(err)
		return core.Snapshot{}, readCode(err)
	}
	if standby {
		return core.Snapshot{}, fmt.Errorf("%w: the server has become a standby, and may lag behind", core.ErrUnavailable)
	}
	if version == nil {
		return core.Snapshot{StoreTime: snapshot.StoreTime}, nil
	}
	snapshot.Version = core.Version(*version)
	if age != nil {
		snapshot.Age = max(0, time.Duration(*age)*time.Microsecond-a.config.ClockSkew)
	}
	return snapshot, nil
}

// CompareAndSwap stores the record iff the row still bears the expected version.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	path, err := a.path(swap.Key)
	if err == nil && len(swap.Record) > maxRecord {
		err = fmt.Errorf("%w: the record has %d bytes, and %d are possible", core.ErrInvalid, len(swap.Record), maxRecord)
	}
	if err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	ctx, cancel := a.config.bounded(ctx)
	defer cancel()
	version, err := a.swap(ctx, path, swap)
	if err != nil {
		return "", fmt.Errorf("write %s to %s: %w", path, a.where(), err)
	}
	return version, nil
}

func (a *Arbiter) swap(ctx context.Context, path string, swap core.Swap) (core.Version, error) {
	conn, err := a.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	// Random, so that no row ever bears the same version twice, not even one
	// that was deleted and made anew, or restored.
	version := rand.Text()
	record := swap.Record
	if record == nil {
		record = []byte{}
	}
	statement := `
		WITH written AS (
			INSERT INTO ` + a.table + ` (key, version, record, written_at) VALUES ($1, $2, $3, clock_timestamp())
			ON CONFLICT (key) DO NOTHING RETURNING 1)
		SELECT pg_notify($4, $5) FROM written`
	arguments := []any{path, version, record, channel, a.payload(path)}
	if swap.Expected != "" {
		statement = `
			WITH written AS (
				UPDATE ` + a.table + ` SET version = $2, record = $3, written_at = clock_timestamp()
				WHERE key = $1 AND version = $6 RETURNING 1)
			SELECT pg_notify($4, $5) FROM written`
		arguments = append(arguments, string(swap.Expected))
	}
	tag, err := conn.Exec(ctx, statement, arguments...)
	switch {
	case err != nil:
		a.forget(err)
		return "", writeCode(err)
	case tag.RowsAffected() == 0:
		return "", fmt.Errorf("%w: the row does not bear the expected version", core.ErrConflict)
	}
	return core.Version(version), nil
}

// acquire returns a connection that works, or an error of a call that was
// certainly not made.
func (a *Arbiter) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if a.closing.Err() != nil {
		return nil, errClosed
	}
	conn, err := a.pool.Acquire(ctx)
	if err != nil {
		return nil, connectCode(err)
	}
	if err := a.ensureTable(ctx, conn); err != nil {
		conn.Release()
		return nil, err
	}
	return conn, nil
}
