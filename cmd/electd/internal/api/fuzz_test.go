package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
)

// Who asks, and how the daemon stands, when FuzzRequests sends a request.
const (
	overTCP    byte = 1 << iota // the token may be among the headers
	notLeading                  // nor ready
	refusing                    // what an operator asks for
	endless                     // is what an operator asks for
	forwarding                  // what an operator asks for
)

// FuzzRequests checks that whatever bytes arrive as a request, the answer is one
// that the description declares, a stream ends with its request, and nothing of
// it stays.
func FuzzRequests(f *testing.F) {
	s := serve(f, func(c *Config) { c.Log = hclog.New(&hclog.LoggerOptions{Output: io.Discard}) })
	doc := loadDescription(f)
	for _, p := range provocations() {
		as, header := byte(0), "Content-Type: application/json\r\n"
		if p.stranger || p.token {
			as = overTCP
		}
		if p.token {
			header += "Authorization: Bearer " + secret + "\r\n"
		}
		if len(p.body) < 1<<10 { // nothing grows from the long one
			f.Add(as, asText(p.method, p.path, header, p.body))
		}
	}
	for _, page := range page() {
		f.Add(byte(0), asText("GET", strings.TrimSuffix(page.path, "{$}"), "", ""))
	}
	for _, header := range []string{"Last-Event-ID: s1.0\r\n", "Last-Event-ID: s1.1\r\n", "Last-Event-ID: s0.9\r\n", "Last-Event-ID: s1.18446744073709551615\r\n"} {
		f.Add(byte(0), asText("GET", "/v1/events?after=latest&election=orders", header, ""))
	}
	f.Add(byte(0), asText("HEAD", "/v1/events", "", ""))
	f.Add(byte(0), asText("GET", "/metrics", "Accept: application/openmetrics-text\r\nAccept-Encoding: gzip\r\n", ""))
	f.Add(byte(0), asText("POST", "/v1/elections/orders/resume", "Origin: https://elsewhere.example\r\n", ""))
	f.Add(byte(0), asText("POST", "/v1/elections/orders/resume", "Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"))
	for _, as := range []byte{notLeading, refusing, endless, forwarding} {
		f.Add(as, asText("GET", "/v1/elections/orders/leader", "", ""))
		f.Add(as, asText("GET", "/v1/elections/orders/lease", "", ""))
		f.Add(as, asText("GET", "/readyz", "", ""))
		f.Add(as, asText("POST", "/v1/elections/orders/step-down", "", `{"to":"db-b"}`))
	}
	trusted, others := s.handler(s.source, true), s.handler(s.source, false)
	f.Fuzz(func(t *testing.T, as byte, text []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			return // net/http answers by itself
		}
		s.stand(as)
		handler := trusted
		if as&overTCP != 0 {
			handler = others
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r = r.WithContext(ctx)
		var sent bytes.Buffer
		r.Body = io.NopCloser(io.TeeReader(r.Body, &sent))
		w := &hangsUp{httptest.NewRecorder(), cancel}
		late := time.AfterFunc(10*time.Second, func() { panic("a request that does not end") })
		handler.ServeHTTP(w, r)
		late.Stop()
		judge(t, doc, r, w.Result())
		if r.Method == http.MethodPost && w.Code < 300 && !understood(r.URL.Path, sent.Bytes()) {
			t.Fatalf("%s is done on the word of %q", r.URL, sent.Bytes())
		}
		if n := s.streams.open.Load(); n != 0 {
			t.Fatalf("%d streams are still counted as open", n)
		}
	})
}

// understood reports whether a body is one that a request may be carried out on:
// those of some are not looked at, and none means what an empty object does.
func understood(path string, body []byte) bool {
	ignored := strings.HasSuffix(path, "/resume") || strings.HasSuffix(path, "/admit")
	return ignored || len(bytes.TrimSpace(body)) == 0 || json.Valid(body)
}

// asText is a request as it goes over the wire.
func asText(method, target, header, body string) []byte {
	if body != "" && !strings.Contains(header, "Transfer-Encoding") {
		header += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return []byte(method + " " + target + " HTTP/1.1\r\nHost: electd\r\n" + header + "\r\n" + body)
}

// stand has the daemon stand as a request is to find it, without anything that
// one before it has left.
func (s *served) stand(as byte) {
	fresh := newFake()
	s.source.set(func(f *fake) {
		f.status, f.done, f.err = fresh.status, fresh.done, nil
		if as&notLeading != 0 {
			f.status.Leading, f.status.Role = false, "broken"
		}
		if as&refusing != 0 {
			f.err = errRefused
		}
		if as&endless != 0 {
			f.err = context.DeadlineExceeded
		}
		if as&forwarding != 0 {
			f.done = client.Done{Outcome: client.OutcomeForwarded, To: "db-b"}
		}
	})
	s.guards.mu.Lock()
	s.guards.held = nil
	s.guards.mu.Unlock()
}

// hangsUp is a client that ends its request when the first part of a stream has
// come.
type hangsUp struct {
	*httptest.ResponseRecorder
	end func()
}

func (w *hangsUp) Flush() {
	w.ResponseRecorder.Flush()
	w.end()
}

// judge holds an answer against the description.
func judge(t *testing.T, doc *openapi3.T, r *http.Request, answer *http.Response) {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	code := answer.StatusCode
	// A pattern is "GET /path", and "/" for what there is no route for.
	method, path, _ := strings.Cut(r.Pattern, " ")
	if slices.Contains([]int{400, 403, 404, 405}, code) {
		refusal(t, answer, body)
		return
	}
	item := doc.Paths.Value(path)
	if item == nil {
		if isPage := slices.ContainsFunc(page(), func(p route) bool { return p.path == path }); !isPage || code != http.StatusOK {
			t.Fatalf("%s %s (%q) is answered %d", r.Method, r.URL, r.Pattern, code)
		}
		return
	}
	operation := item.GetOperation(method)
	if operation.Responses.Status(code) == nil {
		t.Fatalf("%s %s is answered %d, which is not described", r.Method, r.URL, code)
	}
	if r.Method != http.MethodHead {
		found := &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: operation}
		err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: found},
			Status:                 code, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(body)),
		})
		if err != nil {
			t.Fatalf("%s %s: the answer %d is not as described: %v\n%s", r.Method, r.URL, code, err, body)
		}
	}
	switch {
	case r.Method == http.MethodHead:
	case path == "/v1/events" && code == http.StatusOK:
		events(t, body)
	case code >= 400 && path != "/livez" && path != "/readyz" && !strings.HasSuffix(path, "/leader"):
		refusal(t, answer, body)
	}
}

// refusal checks an answer that says no.
func refusal(t *testing.T, answer *http.Response, body []byte) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var said client.Failure
	if err := d.Decode(&said); err != nil || said.Error == "" || answer.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("refused with %d and, instead of an error in JSON, %q", answer.StatusCode, body)
	}
}

// events checks that a stream holds nothing but events that the description
// knows, whatever the request has asked to resume after.
func events(t *testing.T, body []byte) {
	for block := range bytes.SplitSeq(bytes.TrimSuffix(body, []byte("\n\n")), []byte("\n\n")) {
		var name, data string
		for line := range strings.SplitSeq(string(block), "\n") {
			field, value, _ := strings.Cut(line, ": ")
			switch field {
			case "id", "retry":
			case "event":
				name = value
			case "data":
				data = value
			default:
				t.Fatalf("the line %q in the stream %q", line, body)
			}
		}
		var err error
		switch name {
		case "transition":
			err = json.Unmarshal([]byte(data), &client.Transition{})
		case "missed":
			err = json.Unmarshal([]byte(data), &client.Missed{})
		case "":
			continue
		default:
			t.Fatalf("the event %q", name)
		}
		if err != nil {
			t.Fatalf("the event %s with %q: %v", name, data, err)
		}
	}
}
