package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// answering is a daemon that answers everything alike.
type answering struct {
	code int
	body []byte
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: a.code, Status: fmt.Sprintf("%d %s", a.code, http.StatusText(a.code)), Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(a.body)), Request: r,
	}, nil
}

func (a answering) client() *Client {
	return &Client{base: "http://electd", http: &http.Client{Transport: a}}
}

// FuzzEvents checks that whatever a daemon streams is read as events of a bounded
// size or refused, however it is cut into pieces, and that what was read would be
// read again from its own text.
func FuzzEvents(f *testing.F) {
	const transition = `{"id":7,"at":"2030-01-02T03:04:05.006Z","election":"orders","from":"taking","to":"leading","epoch":7,"leader":"db-a","reason":"so","took_ms":3}`
	for _, seed := range []string{
		"retry: 1000\n\nid: s1.7\nevent: transition\ndata: " + transition + "\n\n",
		"retry: 1000\nid: s1.6\nevent: missed\ndata: {\"after\":\"s0.9\",\"why\":\"restarted\"}\n\n",
		"retry: 1000\nid: s1.7\n\nid: s1.7\n\n",
		"event: transition\ndata: {\"id\":7,\ndata: \"election\":\"orders\"}\n\n",
		"id: s1.7\r\nevent: later\r\ndata: x\r\n\r\n: a comment\n\nid\ndata\n\n",
		"id: s1.7\nevent: transition\ndata: " + transition,
		"event: missed\ndata: []\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := readAll(t, bytes.NewReader(text))
		slowly, again := readAll(t, iotest.OneByteReader(bytes.NewReader(text)))
		if !slices.Equal(all, slowly) || (err == nil) != (again == nil) {
			t.Fatalf("%q is read as %q, %v; byte by byte as %q, %v", text, all, err, slowly, again)
		}
		last := ""
		for _, m := range all {
			if m.id != "" {
				last = m.id
			}
			e, known, err := m.event()
			if err != nil {
				break // as follow does
			}
			if known {
				sentAgain(t, e)
			}
		}
		var told int
		stream := follower{client: answering{http.StatusOK, text}.client(), yield: func(Event, error) bool { told++; return true }}
		if err := stream.follow(t.Context()); err == nil || stream.after != last || told > len(all) {
			t.Fatalf("%q: %v, after %q, want %q", text, err, stream.after, last)
		}
	})
}

func readAll(t *testing.T, r io.Reader) (all []message, err error) {
	for m, err := range messages(r) {
		if err != nil {
			return all, err
		}
		if len(m.id)+len(m.name)+len(m.data) > 3*maxLine {
			t.Fatalf("a message of %d bytes", len(m.data))
		}
		all = append(all, m)
	}
	return all, nil
}

// A stream of data that never comes to the end of a message is given up.
func TestAMessageHasABound(t *testing.T) {
	lines := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if lines++; lines > 4*maxLine {
			t.Fatal("it is read for ever")
		}
		return copy(p, "data: and so on\n"), nil
	})
	if all, err := readAll(t, endless); !errors.Is(err, errTooLong) || len(all) != 0 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// sentAgain checks that an event comes through as it is, sent as a daemon does.
func sentAgain(t *testing.T, e Event) {
	name, told := "missed", any(e.Missed)
	if e.Transition != nil {
		name, told = "transition", e.Transition
	}
	data, err := json.Marshal(told)
	if err != nil {
		t.Fatalf("%+v cannot be sent on: %v", e, err)
	}
	all, err := readAll(t, strings.NewReader(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", e.ID, name, data)))
	if err != nil && len(data) > maxLine/2 {
		return // escaping has made it too long
	}
	if err != nil || len(all) != 1 {
		t.Fatalf("%s became %q, %v", data, all, err)
	}
	if got, known, err := all[0].event(); err != nil || !known || !reflect.DeepEqual(got, e) {
		t.Fatalf("%+v became %+v, %v", e, got, err)
	}
}

// FuzzAnswers checks that whatever a daemon answers is a value that can be
// written and read again, or an error and no value; and that a guard is open no
// longer than was said.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"node":"db-a","session":"s1","started_at":"2030-01-02T03:04:05Z","arbiter":{"name":"s3","probe":"passed"},"elections":[{"election":"orders","valid_for_ms":800,"age_ms":5}]}`,
		`{"election":"orders","leading":true,"epoch":7,"valid_for_ms":800,"age_ms":-1,"peers":[{"node":"db-b"}],"electors":["db-a","db-b"]}`,
		`{"found":"record","version":"v1","age_ms":5,"record":{"format":1}}`,
		`{"outcome":"forwarded","to":"db-b"}`, `{"ok":false,"problems":["the probe is pending"]}`,
		`{"name":"s3","version":"2","before":"1","path":"/p","sha256":"5","pid":7}`,
		`{"epoch":7,"valid_for_ms":800,"why":"leading"}`, `{"epoch":7,"valid_for_ms":-9223372036854775807}`,
		`{"epoch":7,"valid_for_ms":9223372036854775807,"age_ms":9223372036854775807}`,
		`{"error":"there is no election \"orders\" on this node"}`, `{"error":""}`, `null`, ``, `<html>`,
		"Client sent an HTTP request to an HTTPS server.\n",
	} {
		f.Add(uint8(0), []byte(seed))
		f.Add(uint8(204), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, code uint8, body []byte) {
		a := answering{200 + int(code), body}
		if a.code >= 300 && a.code < 400 {
			return // net/http has followed it, or refused to
		}
		c, ctx := a.client(), t.Context()
		node, err := c.Node(ctx)
		answered(t, a, node, err)
		election, err := c.Election(ctx, "orders")
		answered(t, a, election, err)
		if election.ValidForMS < 0 || election.AgeMS < 0 && !bytes.Contains(body, []byte("-")) {
			t.Fatalf("valid for %d ms, %d ms old", election.ValidForMS, election.AgeMS)
		}
		lease, err := c.Lease(ctx, "orders")
		answered(t, a, lease, err)
		done, err := c.StepDown(ctx, "orders", "")
		answered(t, a, done, err)
		plugin, err := c.ReloadPlugin(ctx, "s3")
		answered(t, a, plugin, err)
		if a.code == http.StatusServiceUnavailable {
			health, err := c.Ready(ctx) // which it answers as well
			answered(t, answering{http.StatusOK, body}, health, err)
		}
		permitted(t, ctx, c)
	})
}

// answered checks what a call returned for an answer.
func answered[T any](t *testing.T, a answering, got T, err error) {
	if err != nil {
		var none T
		if !reflect.DeepEqual(got, none) || err.Error() == "" {
			t.Fatalf("%d %q: %+v with the error %v", a.code, a.body, got, err)
		}
		return
	}
	if a.code >= 300 {
		t.Fatalf("%d is no error: %+v", a.code, got)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatalf("%+v cannot be written: %v", got, err)
	}
	var back T
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("%s cannot be read: %v", text, err)
	}
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(text, again) {
		t.Fatalf("%s became %s, %v", text, again, err)
	}
}

// permitted checks a guard that asks once.
func permitted(t *testing.T, ctx context.Context, c *Client) {
	p, err := call[Permit](ctx, c, http.MethodPut, "/", nil)
	g := &Guard{client: c, election: "orders", stop: func() {}, holding: newHolding()}
	g.current.Store(&opening{holding: g.holding, replaced: make(chan struct{})})
	left := g.question(ctx)
	_, shut := g.Check()
	g.Close()
	if may := err == nil && p.Epoch != 0 && p.ValidForMS > 0; left < 0 || !may && (left != 0 || shut == nil) {
		t.Fatalf("%+v, %v opens a guard for %s", p, err, left)
	}
	if left.Milliseconds() > max(0, p.ValidForMS) || left%time.Millisecond != 0 && p.ValidForMS < 1<<40 {
		t.Fatalf("%+v opens a guard for %s", p, left)
	}
}
