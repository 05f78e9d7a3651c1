package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/electd/electd/core"
)

// Config is the configuration of the arbiter "postgres".
type Config struct {
	URL      string `electd:"url,required,sensitive" doc:"Where the database is, as postgres://user@host:5432/database?sslmode=verify-full or as key=value pairs. Several hosts may be named; the one that takes writes is used. What is left out comes from the PG* variables, as far as the plugin is given them, and ~/.pgpass."`
	Password string `electd:"password,sensitive" doc:"Password of the URL's user, to keep it out of the URL."`

	Table         string `electd:"table" default:"electd_leases" doc:"Table that holds the records, with or without its schema. Created if it is missing."`
	ExistingTable bool   `electd:"existing_table" doc:"Never create the table; for a user who may not."`
	Prefix        string `electd:"prefix" doc:"Put in front of every key, with a slash between."`

	ClockSkew      time.Duration `electd:"clock_skew" default:"1s" doc:"How far the clocks of the servers that may take over from each other differ, and how far one is ever set forward. Taken off a record's age."`
	ConnectTimeout time.Duration `electd:"connect_timeout" default:"2s" doc:"Limit of connecting to one server."`
	RequestTimeout time.Duration `electd:"request_timeout" default:"5s" doc:"Limit of one request, besides the caller's own deadline."`
}

// The defaults, as the tags above state them.
const (
	defaultTable          = "electd_leases"
	defaultClockSkew      = time.Second
	defaultConnectTimeout = 2 * time.Second
	defaultRequestTimeout = 5 * time.Second
)

func (c Config) withDefaults() Config {
	c.Prefix = strings.Trim(c.Prefix, "/")
	if c.Table == "" {
		c.Table = defaultTable
	}
	if c.ClockSkew == 0 {
		c.ClockSkew = defaultClockSkew
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = defaultRequestTimeout
	}
	return c
}

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// check returns what is wrong with c's own values.
func (c Config) check() error {
	var problems []error
	if c.URL == "" {
		problems = append(problems, wrong("url", "is missing", "write it as postgres://user@host:5432/database"))
	}
	if !tableName.MatchString(c.Table) {
		problems = append(problems, wrong("table", fmt.Sprintf("%q is no table's name", c.Table), "give a name of letters, digits and _, or schema.name"))
	}
	for name, d := range map[string]time.Duration{
		"clock_skew": c.ClockSkew, "connect_timeout": c.ConnectTimeout, "request_timeout": c.RequestTimeout,
	} {
		if d < 0 {
			problems = append(problems, wrong(name, "is negative", "give a duration such as \"2s\""))
		}
	}
	return errors.Join(problems...)
}

// pool returns how connections are made, by d, and kept.
func (c Config) pool(d *dialer) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, &core.AttributeError{Attribute: "url", Problem: "cannot be used",
			Err: fmt.Errorf("%w: %w", core.ErrInvalid, err), Advice: "write it as postgres://user@host:5432/database"}
	}
	conn := config.ConnConfig
	if c.Password != "" {
		conn.Password = c.Password
	}
	conn.ConnectTimeout = c.ConnectTimeout
	conn.DialFunc = d.dial
	// A statement a round trip, and none kept on the server.
	conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	// Only a server that takes writes may answer reads: a standby lags behind.
	conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	for name, value := range map[string]string{
		"application_name":              "electd",
		"default_transaction_isolation": "read committed", // what the swap is written for
		"synchronous_commit":            "on",             // what is told as applied survives the server's crash
	} {
		if _, set := conn.RuntimeParams[name]; !set {
			conn.RuntimeParams[name] = value
		}
	}
	config.MaxConns, config.MinConns, config.MinIdleConns = 4, 0, 0
	config.PingTimeout = c.ConnectTimeout
	return config, nil
}

// lastingCommit refuses a configuration in which a write may be told as applied
// and be forgotten afterwards.
func lastingCommit(config *pgxpool.Config) error {
	switch strings.ToLower(config.ConnConfig.RuntimeParams["synchronous_commit"]) {
	case "off", "false", "no", "0":
		return wrong("url", "sets synchronous_commit = off, with which a crash forgets the newest lease", "leave it out")
	}
	return nil
}

func wrong(attribute, problem, advice string) error {
	return &core.AttributeError{Attribute: attribute, Problem: problem, Advice: advice}
}

// bounded gives ctx the deadline of one request.
func (c Config) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.RequestTimeout)
}
