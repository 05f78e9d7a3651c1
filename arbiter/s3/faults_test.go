package s3_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// through opens an arbiter whose requests pass a fault proxy.
func through(t *testing.T, store servers.S3, change ...func(*s3.Config)) (*s3.Arbiter, *faultproxy.Proxy) {
	t.Helper()
	proxy := faultproxy.New(t, store.Endpoint)
	store.Endpoint = proxy.URL
	return open(t, store, change...), proxy
}

func shortTimeout(c *s3.Config) { c.RequestTimeout = time.Second }

// Every fault of a write must be classified so that "certainly not applied" is
// never said of a write that was applied, whatever the answer was.
func TestFaultsOfWrites(t *testing.T) {
	t.Parallel()
	const internal, unavailable = http.StatusInternalServerError, http.StatusServiceUnavailable
	for _, c := range []struct {
		name    string
		verdict faultproxy.Verdict
		want    core.Outcome
		applied bool
	}{
		{"request dropped", faultproxy.DropRequest(), core.Unknown, false},
		{"answer dropped", faultproxy.DropAnswer(), core.Unknown, true},
		{"silence", faultproxy.Hang(), core.Unknown, false},
		{"silence after commit", faultproxy.HangAfter(), core.Unknown, true},
		{"409", faultproxy.Refuse(http.StatusConflict, "ConditionalRequestConflict"), core.Conflict, false},
		{"409 without a code", faultproxy.Plain(http.StatusConflict, "busy"), core.Conflict, false},
		{"412 after commit", faultproxy.RefuseAfter(http.StatusPreconditionFailed, "PreconditionFailed"), core.Conflict, true},
		{"404 of the key", faultproxy.Refuse(http.StatusNotFound, "NoSuchKey"), core.Conflict, false},
		{"429", faultproxy.Plain(http.StatusTooManyRequests, "slower"), core.Throttled, false},
		{"503 SlowDown", faultproxy.Refuse(unavailable, "SlowDown"), core.Throttled, false},
		{"503 before commit", faultproxy.Refuse(unavailable, "ServiceUnavailable"), core.Unknown, false},
		{"503 after commit", faultproxy.RefuseAfter(unavailable, "ServiceUnavailable"), core.Unknown, true},
		{"503 of a gateway", faultproxy.Plain(unavailable, "upstream"), core.Unknown, false},
		{"500 before commit", faultproxy.Refuse(internal, "InternalError"), core.Unknown, false},
		{"500 after commit", faultproxy.RefuseAfter(internal, "InternalError"), core.Unknown, true},
		{"502 of a gateway", faultproxy.Plain(http.StatusBadGateway, "<html>bad gateway</html>"), core.Unknown, false},
		{"store without conditions", faultproxy.Refuse(http.StatusNotImplemented, "NotImplemented"), core.Invalid, false},
		{"no ETag", faultproxy.NoETag(), core.Unknown, true},
		{"weak ETag", faultproxy.WeakETag(), core.Unknown, true},
		{"empty ETag", faultproxy.Header("ETag", `""`), core.Unknown, true},
		{"captive portal", faultproxy.Plain(http.StatusNotFound, "<html>welcome</html>"), core.Invalid, false},
		{"slow", faultproxy.Slow(50 * time.Millisecond), core.Applied, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := servers.Strict3(t)
			faulty, proxy := through(t, store, shortTimeout)
			direct := open(t, store)
			ctx := context.Background()

			first, err := direct.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("first")})
			if err != nil {
				t.Fatal(err)
			}
			proxy.Next(c.verdict)
			_, err = faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: first, Record: []byte("second")})
			if got := core.WriteOutcome(err); got != c.want {
				t.Errorf("outcome %v (%v), want %v", got, err, c.want)
			}
			if n := len(proxy.Log()); n != 1 {
				t.Errorf("%d requests for one write, want 1: %v", n, proxy.Log())
			}
			now, err := direct.Read(ctx, "k")
			if err != nil {
				t.Fatal(err)
			}
			if applied := string(now.Record) == "second"; applied != c.applied {
				t.Errorf("applied: %v, want %v", applied, c.applied)
			}
			if c.applied && definitelyNot(c.want) {
				t.Errorf("%v is said of a write that was applied", c.want)
			}
		})
	}
}

// definitelyNot tells the outcomes that promise that nothing was stored.
// Conflict is not among them: the core looks it up.
func definitelyNot(o core.Outcome) bool {
	return o == core.Unavailable || o == core.Throttled || o == core.Denied || o == core.Invalid
}

func TestFaultsOfReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		verdict faultproxy.Verdict
		want    core.Outcome
	}{
		{"request dropped", faultproxy.DropRequest(), core.Unavailable},
		{"silence", faultproxy.Hang(), core.Unavailable},
		{"truncated", faultproxy.Truncate(3), core.Unavailable},
		{"500", faultproxy.Refuse(http.StatusInternalServerError, "InternalError"), core.Unavailable},
		{"503", faultproxy.Plain(http.StatusServiceUnavailable, ""), core.Unavailable},
		{"503 SlowDown", faultproxy.Refuse(http.StatusServiceUnavailable, "SlowDown"), core.Throttled},
		{"429", faultproxy.Plain(http.StatusTooManyRequests, ""), core.Throttled},
		{"404 that is no S3 answer", faultproxy.Plain(http.StatusNotFound, "nothing here"), core.Invalid},
		{"no ETag", faultproxy.NoETag(), core.Invalid},
		{"weak ETag", faultproxy.WeakETag(), core.Invalid},
		{"empty ETag", faultproxy.Header("ETag", `""`), core.Invalid},
		{"slow", faultproxy.Slow(50 * time.Millisecond), core.Applied},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := servers.Strict3(t)
			faulty, proxy := through(t, store, shortTimeout)
			if _, err := open(t, store).CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("first")}); err != nil {
				t.Fatal(err)
			}
			// A dropped GET is repeated by net/http on a connection that was
			// used before; here it is the first on its connection.
			proxy.Next(c.verdict)
			got, err := faulty.Read(context.Background(), "k")
			if o := core.ReadOutcome(err); o != c.want {
				t.Errorf("outcome %v (%v), want %v", o, err, c.want)
			}
			if err != nil && (got.Version != "" || got.Record != nil) {
				t.Errorf("an error came with %+v", got)
			}
		})
	}
}

// A write that the network delivers after a takeover must not apply.
func TestLateWriteDoesNotApply(t *testing.T) {
	store := servers.Strict3(t)
	faulty, proxy := through(t, store)
	direct := open(t, store)
	ctx := context.Background()
	first, err := direct.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("first")})
	if err != nil {
		t.Fatal(err)
	}
	late := faultproxy.NewLate()
	proxy.Next(late.Verdict())
	if _, err = faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: first, Record: []byte("late")}); !errors.Is(err, core.ErrUnknown) {
		t.Fatalf("lost write: %v, want unknown", err)
	}
	if _, err := direct.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: first, Record: []byte("takeover")}); err != nil {
		t.Fatal(err)
	}
	if answer, err := late.Apply(); err != nil || answer.Status != http.StatusPreconditionFailed {
		t.Fatalf("late write answered %d, %v, want 412", answer.Status, err)
	}
	if now, err := direct.Read(ctx, "k"); err != nil || string(now.Record) != "takeover" {
		t.Fatalf("stored %q, %v, want takeover", now.Record, err)
	}
}

// A torn read shows a newer body under an older version. Where ETags are digests
// it is noticed and read again; if it stays so, it is believed, and a swap on it
// loses.
func TestTornReads(t *testing.T) {
	store := servers.Strict3(t)
	faulty, proxy := through(t, store)
	ctx := context.Background()
	first, err := faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("first")})
	if err != nil {
		t.Fatal(err)
	}
	second, err := faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: first, Record: []byte("second")})
	if err != nil {
		t.Fatal(err)
	}
	proxy.Next(faultproxy.OldETag())
	whole, err := faulty.Read(ctx, "k")
	if err != nil || whole.Version != second || string(whole.Record) != "second" {
		t.Fatalf("read %q at %s, %v, want second at %s", whole.Record, whole.Version, err, second)
	}
	proxy.Decide(func(r *http.Request) faultproxy.Verdict {
		if r.Method == http.MethodGet {
			return faultproxy.OldETag()
		}
		return nil
	})
	torn, err := faulty.Read(ctx, "k")
	if err != nil || torn.Version != first || string(torn.Record) != "second" {
		t.Fatalf("read %q at %s, %v, want second at %s", torn.Record, torn.Version, err, first)
	}
	if _, err := faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: torn.Version, Record: []byte("third")}); !errors.Is(err, core.ErrConflict) {
		t.Fatalf("swap on a torn read: %v, want a conflict", err)
	}
}

// Encrypted objects have ETags that are no digests; each is read once.
func TestETagsThatAreNoDigests(t *testing.T) {
	store := servers.Strict3(t)
	plain := open(t, store)
	if _, err := plain.CompareAndSwap(context.Background(), core.Swap{Key: "other", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	encrypted := open(t, store, func(c *s3.Config) { c.SSE = "aws:kms" })
	v, err := encrypted.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	before := encrypted.Requests()
	if s, err := encrypted.Read(context.Background(), "k"); err != nil || s.Version != v || encrypted.Requests() != before+1 {
		t.Errorf("read %s, %v, with %d requests, want %s with one", s.Version, err, encrypted.Requests()-before, v)
	}
	// A node without that setting knows digests only; it reads again, then believes.
	if s, err := plain.Read(context.Background(), "k"); err != nil || s.Version != v {
		t.Errorf("read %s, %v, want %s", s.Version, err, v)
	}
}

// A store that wants ETags without quotes is understood after one lost write.
func TestUnquotedETagsAreLearned(t *testing.T) {
	faulty, proxy := through(t, servers.Gofakes3(t))
	proxy.Decide(func(*http.Request) faultproxy.Verdict { return faultproxy.BareETags() })
	ctx := context.Background()
	v, err := faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("0")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte("1")}); !errors.Is(err, core.ErrConflict) {
		t.Fatalf("swap with quotes: %v, want a conflict", err)
	}
	if now, err := faulty.Read(ctx, "k"); err != nil || now.Version != v {
		t.Fatalf("read %s, %v, want %s", now.Version, err, v)
	}
	for _, record := range []string{"2", "3"} {
		if v, err = faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte(record)}); err != nil {
			t.Fatal(err)
		}
	}
	set, proxy2 := through(t, servers.Gofakes3(t), func(c *s3.Config) { c.ETag = "unquoted" })
	proxy2.Decide(func(*http.Request) faultproxy.Verdict { return faultproxy.BareETags() })
	if v, err = set.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("0")}); err != nil {
		t.Fatal(err)
	}
	if _, err = set.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte("1")}); err != nil {
		t.Fatalf("swap with etag = unquoted: %v", err)
	}
}

// The caller's deadline ends a call, also where nobody answers.
func TestDeadlineIsHonoured(t *testing.T) {
	faulty, proxy := through(t, servers.Strict3(t))
	proxy.Decide(func(*http.Request) faultproxy.Verdict { return faultproxy.Hang() })
	const deadline = time.Second // enough for the request to leave
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	began := time.Now()
	_, err := faulty.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("x")})
	if !errors.Is(err, core.ErrUnknown) || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("write: %v, want unknown: no answer in time", err)
	}
	if d := time.Since(began); d > 10*deadline {
		t.Errorf("a deadline of %v was honoured after %v", deadline, d)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	if _, err := faulty.CompareAndSwap(ended, core.Swap{Key: "k", Record: []byte("x")}); !errors.Is(err, core.ErrUnavailable) {
		t.Errorf("write after the deadline: %v, want unavailable: nothing was sent", err)
	}
}
