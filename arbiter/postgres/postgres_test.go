package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/postgres"
	"github.com/electd/electd/arbiter/postgres/pgtest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, c postgres.Config) *postgres.Arbiter {
	t.Helper()
	a, err := postgres.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestConformance(t *testing.T) {
	server := pgtest.Start(t)
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) {
			return postgres.New(ctx, postgres.Config{URL: server.URL()})
		},
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			proxy := pgtest.NewProxy(t, server.Address)
			a, err := postgres.New(ctx, postgres.Config{URL: pgtest.URL(proxy.Address)})
			return a, proxy.Faults(), err
		},
	})
}

// administer runs statements as the superuser.
func administer(t testing.TB, s pgtest.Server, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func swap(t testing.TB, a *postgres.Arbiter, expected core.Version, record string) (core.Version, error) {
	return a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Expected: expected, Record: []byte(record)})
}

func TestTableIsMadeByWhoeverComesFirst(t *testing.T) {
	server := pgtest.Start(t)
	var together sync.WaitGroup
	for range 8 {
		a := open(t, postgres.Config{URL: server.URL(), Table: "public.leases"})
		together.Go(func() {
			if s, err := a.Read(context.Background(), "k"); err != nil || s.Version != "" || s.StoreTime.IsZero() {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	together.Wait()
}

// A record that was deleted and made anew does not fit an older version, and
// neither does one whose table was.
func TestVersionsNeverComeBack(t *testing.T) {
	server := pgtest.Start(t)
	a := open(t, postgres.Config{URL: server.URL()})
	old, err := swap(t, a, "", "same")
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []string{"DELETE FROM electd_leases", "DROP TABLE electd_leases"} {
		administer(t, server, loss)
		// One call may still find out that the table is gone.
		_, _ = a.Read(t.Context(), "k")
		if s, err := a.Read(t.Context(), "k"); err != nil || s.Version != "" {
			t.Fatalf("after %s: %+v, %v", loss, s, err)
		}
		v, err := swap(t, a, "", "same")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := swap(t, a, old, "stale"); core.WriteOutcome(err) != core.Conflict {
			t.Errorf("after %s a stale swap: %v", loss, err)
		}
		old = v
	}
}

func TestWhatTheServerRefuses(t *testing.T) {
	server := pgtest.Start(t)
	administer(t, server,
		"CREATE ROLE poor LOGIN",
		"CREATE TABLE odd (key int)",
		"CREATE TABLE full_of (key text PRIMARY KEY, version text NOT NULL, record bytea NOT NULL, written_at timestamptz NOT NULL)",
		"REVOKE CREATE ON SCHEMA public FROM public",
		"CREATE ROLE limited LOGIN CONNECTION LIMIT 0",
	)
	as := func(user string) string { return strings.Replace(server.URL(), "electd@", user+"@", 1) }
	cases := []struct {
		name    string
		config  postgres.Config
		outcome core.Outcome
		says    string
	}{
		{"may not create the table", postgres.Config{URL: as("poor")}, core.Denied, "CREATE TABLE IF NOT EXISTS \"electd_leases\""},
		{"may not use the table", postgres.Config{URL: as("poor"), Table: "full_of"}, core.Denied, "grant the user"},
		{"table missing", postgres.Config{URL: server.URL(), Table: "none", ExistingTable: true}, core.Invalid, "existing_table is set"},
		{"another table", postgres.Config{URL: server.URL(), Table: "odd"}, core.Invalid, "is the table the one"},
		{"no such user", postgres.Config{URL: as("nobody")}, core.Denied, "check user and password"},
		{"no such database", postgres.Config{URL: strings.Replace(server.URL(), "/postgres?", "/none?", 1)}, core.Invalid, "create the database"},
		{"no such schema", postgres.Config{URL: server.URL(), Table: "none.leases"}, core.Invalid, "create the schema"},
		{"too many connections", postgres.Config{URL: as("limited")}, core.Throttled, "max_connections"},
		{"not the leader of its cluster", postgres.Config{URL: server.URL() + "&default_transaction_read_only=on"}, core.Unavailable, "read only"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := open(t, c.config)
			_, err := swap(t, a, "", "r")
			if core.WriteOutcome(err) != c.outcome || !strings.Contains(err.Error(), c.says) {
				t.Errorf("write: %v, want %v and %q", err, c.outcome, c.says)
			}
			if _, err := a.Read(t.Context(), "k"); core.ReadOutcome(err) != c.outcome {
				t.Errorf("read: %v, want %v", err, c.outcome)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	address := servers.FreeAddress(t)
	a := open(t, postgres.Config{URL: pgtest.URL(address)})
	if _, err := swap(t, a, "", "r"); core.WriteOutcome(err) != core.Unavailable || !strings.Contains(err.Error(), address) {
		t.Errorf("a write to nobody: %v, want unavailable and the address", err)
	}
	if _, err := a.Watch(t.Context(), "k"); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a watch at nobody: %v", err)
	}
}

// The end of a session by the server's hand may come after the commit.
func TestEndedSessionIsUnknown(t *testing.T) {
	server := pgtest.Start(t)
	a := open(t, postgres.Config{URL: server.URL()})
	v, err := swap(t, a, "", "r")
	if err != nil {
		t.Fatal(err)
	}
	// The row is held by somebody, so that the write waits.
	holder, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT 1 FROM electd_leases FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	outcome := make(chan error, 1)
	go func() {
		_, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Expected: v, Record: []byte("s")})
		outcome <- err
	}()
	for ended := int64(0); ended == 0; time.Sleep(10 * time.Millisecond) {
		row := holder.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name = 'electd' AND wait_event_type = 'Lock') AS ended`)
		if err := row.Scan(&ended); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-outcome; core.WriteOutcome(err) != core.Unknown {
		t.Errorf("%v, want unknown", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := swap(t, a, v, "t"); err != nil {
		t.Errorf("the next write, on a new connection: %v", err)
	}
}

func TestAgeIsNeverTooLarge(t *testing.T) {
	server := pgtest.Start(t)
	a := open(t, postgres.Config{URL: server.URL(), ClockSkew: 200 * time.Millisecond})
	begun := time.Now()
	if _, err := swap(t, a, "", "r"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	s, err := a.Read(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if s.Age > time.Since(begun) || s.Age < time.Second {
		t.Errorf("age is %s after %s, with a skew of 200 ms", s.Age, time.Since(begun))
	}
	administer(t, server, "UPDATE electd_leases SET written_at = now() + interval '1 hour'")
	if s, err = a.Read(t.Context(), "k"); err != nil || s.Age != 0 {
		t.Errorf("age of a record from the future is %s, %v", s.Age, err)
	}
}

func TestWatchEndsWithItsConnection(t *testing.T) {
	server := pgtest.Start(t)
	a := open(t, postgres.Config{URL: server.URL()})
	if _, err := swap(t, a, "", "r"); err != nil {
		t.Fatal(err)
	}
	hints, err := a.Watch(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	administer(t, server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'electd'")
	select {
	case _, more := <-hints:
		if more {
			t.Error("a hint of nothing")
		}
	case <-time.After(10 * time.Second):
		t.Error("the watch goes on without a connection")
	}
	if hints, err = a.Watch(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, more := <-hints; more {
		t.Error("a hint after Close")
	}
	if _, err := a.Watch(t.Context(), "k"); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a watch after Close: %v", err)
	}
}

// Closing does not wait for a server that has fallen silent.
func TestCloseWithASilentServer(t *testing.T) {
	server := pgtest.Start(t)
	proxy := pgtest.NewProxy(t, server.Address)
	a := open(t, postgres.Config{URL: pgtest.URL(proxy.Address)})
	if _, err := swap(t, a, "", "r"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Watch(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	proxy.Faults().Silence()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _ = a.Read(ctx, "k")
	begun := time.Now()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("Close took %s", took)
	}
}

func TestWrongAttributes(t *testing.T) {
	const url = "postgres://a@b/c"
	cases := []struct {
		config    postgres.Config
		attribute string
		problem   string
	}{
		{postgres.Config{}, "url", "is missing"},
		{postgres.Config{URL: "postgres://a:secret@b:port/c"}, "url", "cannot be used"},
		{postgres.Config{URL: "host=a sslmode=perhaps"}, "url", "sslmode"},
		{postgres.Config{URL: url + "?synchronous_commit=off"}, "url", "forgets"},
		{postgres.Config{URL: url, Table: "a; DROP TABLE b"}, "table", "no table's name"},
		{postgres.Config{URL: url, ClockSkew: -1}, "clock_skew", "negative"},
		{postgres.Config{URL: url, ConnectTimeout: -1}, "connect_timeout", "negative"},
		{postgres.Config{URL: url, RequestTimeout: -1}, "request_timeout", "negative"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %s", c.attribute, c.problem), func(t *testing.T) {
			_, err := postgres.New(t.Context(), c.config)
			var fault *core.AttributeError
			if !errors.As(err, &fault) || fault.Attribute != c.attribute || !strings.Contains(err.Error(), c.problem) {
				t.Fatalf("%v is not about %s %s", err, c.attribute, c.problem)
			}
			if !errors.Is(err, core.ErrInvalid) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v is not invalid, or tells a secret", err)
			}
		})
	}
}
