package postgres

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/electd/electd/core"
)

// Some of PostgreSQL's error codes (its manual, appendix A).
const (
	uniqueViolation       = "23505"
	duplicateTable        = "42P07"
	duplicateObject       = "42710"
	undefinedTable        = "42P01"
	insufficientPrivilege = "42501"
)

// refusals are what a server answers to a statement that it has rolled back,
// each with its code; a shorter one stands for a class. What is not among them
// may come after the commit.
var refusals = []struct {
	state  string
	code   error
	advice string
}{
	{insufficientPrivilege, core.ErrDenied, "; grant the user select, insert and update on the table"},
	{undefinedTable, core.ErrUnavailable, "; the table is gone and will be looked for again"},
	{"42", core.ErrInvalid, "; is the table the one that this arbiter creates?"},
	{"22", core.ErrInvalid, "; is the table the one that this arbiter creates?"},
	{"23", core.ErrInvalid, "; is the table the one that this arbiter creates?"},
	{"25006", core.ErrUnavailable, "; the server takes no writes"},
	{"40001", core.ErrUnavailable, ""},
	{"40P01", core.ErrUnavailable, ""},
	{"55P03", core.ErrUnavailable, ""},
	{"53300", core.ErrThrottled, "; raise the server's max_connections"},
	{"53", core.ErrUnavailable, "; the server is short of something"},
	{"28", core.ErrDenied, "; check user and password"},
	{"3D000", core.ErrInvalid, "; create the database, or correct url"},
	{"3F000", core.ErrInvalid, "; create the schema, or correct table"},
}

// writeCode classifies the error of a statement that writes. Success is told
// only after the commit, so silence and the end of a session leave it unknown.
func writeCode(err error) error {
	if pgconn.SafeToRetry(err) {
		return fmt.Errorf("%w: not sent: %w", core.ErrUnavailable, err)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR" {
		if coded := refusal(refused); coded != nil {
			return coded
		}
	}
	return fmt.Errorf("%w: %w", core.ErrUnknown, err)
}

// readCode classifies the error of a statement that writes nothing that counts.
func readCode(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		if coded := refusal(refused); coded != nil {
			return coded
		}
	}
	return fmt.Errorf("%w: %w", core.ErrUnavailable, err)
}

// connectCode classifies the error of a connection that was not made.
func connectCode(err error) error { return readCode(err) }

func refusal(refused *pgconn.PgError) error {
	for _, r := range refusals {
		if strings.HasPrefix(refused.Code, r.state) {
			return fmt.Errorf("%w: %w%s", r.code, refused, r.advice)
		}
	}
	return nil
}
