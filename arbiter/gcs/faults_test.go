package gcs_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

const key = "orders/lease.json"

// through opens an arbiter whose requests pass a fault proxy, and one whose
// requests do not.
func through(t *testing.T, server servers.GCS) (behind, direct *gcs.Arbiter, proxy *faultproxy.Proxy) {
	t.Helper()
	proxy = faultproxy.New(t, server.Endpoint)
	direct = open(t, gcs.Config{Bucket: server.Bucket, Endpoint: server.Endpoint})
	behind = open(t, gcs.Config{Bucket: server.Bucket, Endpoint: proxy.URL, RequestTimeout: time.Second})
	direct.Unpaced()
	behind.Unpaced()
	return behind, direct, proxy
}

// open returns an arbiter that the test closes.
func open(t *testing.T, c gcs.Config) *gcs.Arbiter {
	t.Helper()
	a, err := gcs.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// put stores body on top of expected.
func put(t *testing.T, a *gcs.Arbiter, expected core.Version, body string) core.Version {
	t.Helper()
	v, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: expected, Record: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// after lets the store apply the request and gives another answer.
func after(status int, body string) faultproxy.Verdict {
	return func(x *faultproxy.Exchange) {
		_, _ = x.Forward()
		faultproxy.Plain(status, body)(x)
	}
}

// said is an error in the JSON API's form.
func said(reason, message string) string {
	return `{"error":{"code":0,"message":"` + message + `","errors":[{"domain":"global","reason":"` + reason + `","message":"` + message + `"}]}}`
}

// json answers with a status and a body that is marked as JSON, as the store's
// own errors are.
func json(status int, body string) faultproxy.Verdict {
	return func(x *faultproxy.Exchange) {
		x.Send(faultproxy.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)})
	}
}

// Every fault of a write must be classified so that "certainly not applied" is
// never said of a write that was applied, whatever the answer was.
func TestFaultsOfWrites(t *testing.T) {
	server := servers.Gcsemulator(t)
	behind, direct, proxy := through(t, server)
	version := put(t, direct, "", "begin")
	for _, c := range []struct {
		name    string
		verdict faultproxy.Verdict
		want    core.Outcome
		applied bool
		says    string
	}{
		{"request dropped", faultproxy.DropRequest(), core.Unknown, false, ""},
		{"answer dropped", faultproxy.DropAnswer(), core.Unknown, true, ""},
		{"silence", faultproxy.Hang(), core.Unknown, false, "deadline"},
		{"silence after commit", faultproxy.HangAfter(), core.Unknown, true, "deadline"},
		{"answer cut off", faultproxy.Truncate(20), core.Unknown, true, ""},
		{"412", json(http.StatusPreconditionFailed, said("conditionNotMet", "no")), core.Conflict, false, ""},
		{"412 after commit", after(http.StatusPreconditionFailed, "no"), core.Conflict, true, ""},
		{"409", faultproxy.Plain(http.StatusConflict, "busy"), core.Conflict, false, ""},
		{"404 of the object", json(http.StatusNotFound, said("notFound", "No such object: leases/x")), core.Conflict, false, ""},
		{"404 of the bucket", json(http.StatusNotFound, said("notFound", "The specified bucket does not exist.")), core.Invalid, false, `create bucket "leases"`},
		{"404 of a gateway", faultproxy.Plain(http.StatusNotFound, "<html>welcome</html>"), core.Invalid, false, "endpoint"},
		{"429", json(http.StatusTooManyRequests, said("rateLimitExceeded", "too often")), core.Throttled, false, ""},
		{"403 of a rate limit", json(http.StatusForbidden, said("rateLimitExceeded", "too often")), core.Throttled, false, ""},
		{"403", json(http.StatusForbidden, said("forbidden", "no permission")), core.Denied, false, "storage.objects.get"},
		{"401", json(http.StatusUnauthorized, said("authError", "who?")), core.Denied, false, "credentials_file"},
		{"400", json(http.StatusBadRequest, said("invalid", "what?")), core.Invalid, false, ""},
		{"408", faultproxy.Plain(http.StatusRequestTimeout, "late"), core.Unknown, false, ""},
		{"500 before commit", faultproxy.Plain(http.StatusInternalServerError, "oops"), core.Unknown, false, ""},
		{"500 after commit", after(http.StatusInternalServerError, "oops"), core.Unknown, true, ""},
		{"502 of a gateway", faultproxy.Plain(http.StatusBadGateway, "<html>bad gateway</html>"), core.Unknown, false, ""},
		{"503 after commit", after(http.StatusServiceUnavailable, "later"), core.Unknown, true, ""},
		{"redirect", faultproxy.Plain(http.StatusTemporaryRedirect, ""), core.Invalid, false, "endpoint"},
		{"captive portal", faultproxy.Plain(http.StatusOK, "<html>welcome</html>"), core.Unknown, false, ""},
		{"no generation", json(http.StatusOK, `{"kind":"storage#object"}`), core.Unknown, false, "generation"},
		{"slow", faultproxy.Slow(50 * time.Millisecond), core.Applied, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := "written through " + c.name
			proxy.Next(c.verdict)
			_, err := behind.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: version, Record: []byte(body)})
			if got := core.WriteOutcome(err); got != c.want {
				t.Errorf("outcome %v, want %v: %v", got, c.want, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			s, err := direct.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if applied := string(s.Record) == body; applied != c.applied {
				t.Errorf("applied: %v, want %v", applied, c.applied)
			}
			version = s.Version
		})
	}
}

// A vacant record is one that the store says is not there.
func TestWhatAnswersVacant(t *testing.T) {
	behind, direct, proxy := through(t, servers.Gcsemulator(t))
	put(t, direct, "", "one")
	for name, verdict := range map[string]faultproxy.Verdict{
		"JSON, as metadata is answered": json(http.StatusNotFound, said("notFound", "No such object: leases/orders/lease.json")),
		"text, as media is answered":    faultproxy.Plain(http.StatusNotFound, "No such object: leases/orders/lease.json"),
	} {
		t.Run(name, func(t *testing.T) {
			proxy.Next(verdict)
			if s, err := behind.Read(t.Context(), key); err != nil || s.Version != "" || s.Record != nil {
				t.Errorf("read %+v, %v", s, err)
			}
		})
	}
}

func TestFaultsOfReads(t *testing.T) {
	server := servers.Gcsemulator(t)
	behind, direct, proxy := through(t, server)
	put(t, direct, "", strings.Repeat("record", 100))
	for name, c := range map[string]struct {
		verdict faultproxy.Verdict
		want    core.Outcome
	}{
		"request dropped":   {faultproxy.DropRequest(), core.Unavailable},
		"silence":           {faultproxy.Hang(), core.Unavailable},
		"answer cut off":    {faultproxy.Truncate(20), core.Unavailable},
		"404 of the bucket": {json(http.StatusNotFound, said("notFound", "The specified bucket does not exist.")), core.Invalid},
		"403":               {json(http.StatusForbidden, said("forbidden", "no permission")), core.Denied},
		"429":               {json(http.StatusTooManyRequests, said("rateLimitExceeded", "too often")), core.Throttled},
		"503":               {faultproxy.Plain(http.StatusServiceUnavailable, "later"), core.Unavailable},
		"page of a gateway": {faultproxy.Plain(http.StatusNotFound, "<html>welcome</html>"), core.Invalid},
		"no generation":     {faultproxy.Header("X-Goog-Generation", ""), core.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			// A read may be sent again; then it meets the same.
			proxy.Decide(func(*http.Request) faultproxy.Verdict { return c.verdict })
			s, err := behind.Read(t.Context(), key)
			if got := core.ReadOutcome(err); got != c.want {
				t.Errorf("outcome %v, want %v: %v, %+v", got, c.want, err, s)
			}
		})
	}
}

// Nothing has left, so nothing can have been applied.
func TestAServerThatIsNotThere(t *testing.T) {
	a := open(t, gcs.Config{Bucket: "leases", Endpoint: "http://127.0.0.1:1"})
	_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
	if core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("write: %v", err)
	}
	if _, err := a.Read(t.Context(), key); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("read: %v", err)
	}
}

// One request a call, no credentials in plain text, and nothing beside.
func TestACallIsOneRequest(t *testing.T) {
	behind, _, proxy := through(t, servers.Gcsemulator(t))
	v := put(t, behind, "", "one")
	put(t, behind, v, "two")
	if _, err := behind.Read(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	want := "POST /upload/storage/v1/b/leases/o, POST /upload/storage/v1/b/leases/o, GET /storage/v1/b/leases/o/orders/lease.json"
	if got := strings.Join(proxy.Log(), ", "); got != want {
		t.Errorf("requests: %s, want %s", got, want)
	}
	if n := behind.Requests(); n != 3 {
		t.Errorf("counted %d requests", n)
	}
	for _, header := range proxy.Headers() {
		if header.Get("Authorization") != "" {
			t.Error("credentials are sent over http")
		}
	}
}

func TestVersionsAndRecordsThatCannotBe(t *testing.T) {
	a := open(t, gcs.Config{Bucket: "leases", Endpoint: "http://127.0.0.1:1"})
	for name, swap := range map[string]core.Swap{
		"an ETag":     {Key: key, Expected: `"d41d8cd9"`, Record: []byte("one")},
		"zero":        {Key: key, Expected: "0", Record: []byte("one")},
		"large":       {Key: key, Record: make([]byte, 64<<10+1)},
		"no key":      {Record: []byte("one")},
		"control key": {Key: "a\nb", Record: []byte("one")},
	} {
		if _, err := a.CompareAndSwap(t.Context(), swap); core.WriteOutcome(err) != core.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One write a second on an object, whatever it is for, and only on that object.
func TestWritesArePaced(t *testing.T) {
	server := servers.Gcsemulator(t)
	a := open(t, gcs.Config{Bucket: server.Bucket, Endpoint: server.Endpoint})
	v := put(t, a, "", "taken")
	start := time.Now()
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "other/lease.json", Record: []byte("one")}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 900*time.Millisecond {
		t.Errorf("another object's write waited: %v", took)
	}

	// A deadline that is too near is answered at once, without a request.
	before := a.Requests()
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := a.CompareAndSwap(short, core.Swap{Key: key, Expected: v, Record: []byte("renewed")})
	if !errors.Is(err, core.ErrThrottled) || a.Requests() != before {
		t.Errorf("got %v after %d requests", err, a.Requests()-before)
	}

	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: v, Record: []byte("vacant"), Intent: core.Release}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 900*time.Millisecond {
		t.Errorf("a release %v after a take", took)
	}
}
