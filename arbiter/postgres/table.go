package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/electd/electd/core"
)

// definition is what the table consists of.
func (a *Arbiter) definition() string {
	return "CREATE TABLE IF NOT EXISTS " + a.table +
		" (key text PRIMARY KEY, version text NOT NULL, record bytea NOT NULL, written_at timestamptz NOT NULL)"
}

// ensureTable creates the table if it is missing, unless that is forbidden.
func (a *Arbiter) ensureTable(ctx context.Context, conn *pgxpool.Conn) error {
	if a.tabled.Load() {
		return nil
	}
	there, err := a.tableIsThere(ctx, conn)
	if err != nil {
		return err
	}
	if !there {
		if err := a.createTable(ctx, conn); err != nil {
			return err
		}
	}
	a.tabled.Store(true)
	return nil
}

func (a *Arbiter) tableIsThere(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", a.table).Scan(&there); err != nil {
		return false, readCode(err)
	}
	return there, nil
}

func (a *Arbiter) createTable(ctx context.Context, conn *pgxpool.Conn) error {
	if a.config.ExistingTable {
		return fmt.Errorf("%w: the table is missing, and existing_table is set; create it: %s", core.ErrInvalid, a.definition())
	}
	_, err := conn.Exec(ctx, a.definition())
	var refused *pgconn.PgError
	// Two that create it at once meet in the catalogue, at the table's name or at its
	// type's; one of them succeeds.
	if errors.As(err, &refused) && slices.Contains([]string{uniqueViolation, duplicateTable, duplicateObject}, refused.Code) {
		if there, err := a.tableIsThere(ctx, conn); err != nil || there {
			return err
		}
	}
	if errors.As(err, &refused) && refused.Code == insufficientPrivilege {
		return fmt.Errorf("%w: the table is missing and this user may not create it; let somebody else: %s; and grant select, insert and update", core.ErrDenied, a.definition())
	}
	if err != nil {
		return readCode(err)
	}
	return nil
}

// forget looks for the table anew after an error that says it is gone.
func (a *Arbiter) forget(err error) {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == undefinedTable {
		a.tabled.Store(false)
	}
}
