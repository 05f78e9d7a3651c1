package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/electd/electd/client"
)

func loadDescription(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("openapi.yaml is not valid: %v", err)
	}
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
	return doc
}

// TestRoutesAreDescribed: every route is described, and nothing else is.
func TestRoutesAreDescribed(t *testing.T) {
	doc := loadDescription(t)
	described := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described[method+" "+path] = true
		}
	}
	s := serve(t, nil)
	h := &handlers{server: s.Server, source: s.source}
	ofPage := map[string]bool{}
	for _, r := range page() {
		ofPage[r.path] = true
	}
	served := map[string]bool{}
	for _, r := range h.routes() {
		if !ofPage[r.path] {
			served[r.method+" "+r.path] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(served)) {
		if !described[name] {
			t.Errorf("%s is served and not described in openapi.yaml", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		if !served[name] {
			t.Errorf("%s is described in openapi.yaml and not served", name)
		}
	}
}

// schemas are the types whose JSON form the description gives.
var schemas = map[string]any{
	"Node": client.Node{}, "Arbiter": client.Arbiter{}, "Credentials": client.Credentials{}, "Plugin": client.Plugin{},
	"ReloadPlugin": client.ReloadPlugin{}, "Election": client.Election{}, "Addresses": client.Addresses{},
	"Peer": client.Peer{}, "Requests": client.Requests{}, "Transition": client.Transition{}, "Lease": client.Lease{},
	"StepDown": client.StepDown{}, "Pause": client.Pause{}, "Release": client.Release{}, "Done": client.Done{},
	"Permit": client.Permit{}, "Access": client.Access{}, "Missed": client.Missed{}, "Health": client.Health{}, "Failure": client.Failure{},
}

// TestFieldsAreDescribed: every field of every type is in its schema, and no
// other; what is always there is required.
func TestFieldsAreDescribed(t *testing.T) {
	doc := loadDescription(t)
	for name := range doc.Components.Schemas {
		if _, ok := schemas[name]; !ok && name != "Phase" {
			t.Errorf("schema %s belongs to no type of package client", name)
		}
	}
	for name, value := range schemas {
		ref := doc.Components.Schemas[name]
		if ref == nil {
			t.Errorf("type %s has no schema", name)
			continue
		}
		optional := map[string]bool{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(value)) {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			optional[field] = options != ""
		}
		for field, omits := range optional {
			if ref.Value.Properties[field] == nil {
				t.Errorf("%s.%s is not in the schema", name, field)
			}
			if required := slices.Contains(ref.Value.Required, field); required == omits {
				t.Errorf("%s.%s: required is %v in the schema, and it may be left out: %v", name, field, required, omits)
			}
		}
		for field := range ref.Value.Properties {
			if _, ok := optional[field]; !ok {
				t.Errorf("%s.%s is in the schema and not in the type", name, field)
			}
		}
	}
}

// provoked is one request, and the answer that it must get.
type provoked struct {
	method, path, body string
	code               int
	stranger           bool // over TCP, without a token
	token              bool // over TCP, with the token
	setup              func(*served)
}

func as(role string, leading bool) func(*served) {
	return func(s *served) {
		s.source.set(func(f *fake) { f.status.Role, f.status.Leading = role, leading })
	}
}

func failing(err error) func(*served) {
	return func(s *served) { s.source.set(func(f *fake) { f.err = err }) }
}

func outcome(o client.Outcome) func(*served) {
	return func(s *served) { s.source.set(func(f *fake) { f.done = client.Done{Outcome: o, To: "db-b"} }) }
}

// provocations get every answer out of the API that its description names.
func provocations() []provoked {
	const e = "/v1/elections/orders"
	out := []provoked{
		{method: "GET", path: "/v1/node", code: 200},
		{method: "GET", path: "/v1/access", code: 200},
		{method: "GET", path: e, code: 200},
		{method: "GET", path: "/v1/elections/invoices", code: 404},
		{method: "GET", path: e + "/leader", code: 200},
		{method: "HEAD", path: e + "/leader", code: 200},
		{method: "GET", path: e + "/leader", code: 503, setup: as("fenced", false)},
		{method: "GET", path: "/v1/elections/invoices/leader", code: 404},
		{method: "GET", path: e + "/lease", code: 200},
		{method: "GET", path: e + "/lease", code: 401, stranger: true},
		{method: "GET", path: "/v1/elections/invoices/lease", code: 404},
		{method: "GET", path: e + "/lease", code: 502, setup: failing(io.ErrUnexpectedEOF)},
		{method: "PUT", path: e + "/guards/g1", code: 200},
		{method: "PUT", path: e + "/guards/a%20b", code: 400},
		{method: "PUT", path: e + "/guards/g1", code: 401, stranger: true},
		{method: "PUT", path: "/v1/elections/invoices/guards/g1", code: 404},
		{method: "PUT", path: e + "/guards/one-too-many", code: 503, setup: func(s *served) {
			for i := range maxGuards {
				s.guards.extend("orders", fmt.Sprint(i), s.source)
			}
		}},
		{method: "DELETE", path: e + "/guards/g1", code: 200},
		{method: "DELETE", path: e + "/guards/g1", code: 401, stranger: true},
		{method: "DELETE", path: "/v1/elections/invoices/guards/g1", code: 404},
		{method: "POST", path: "/v1/plugin/reload", code: 200},
		{method: "POST", path: "/v1/plugin/reload", body: `{"name":"acme"}`, code: 200},
		{method: "POST", path: "/v1/plugin/reload", body: `{"path":"/bin/sh"}`, code: 400},
		{method: "POST", path: "/v1/plugin/reload", code: 401, stranger: true},
		{method: "POST", path: "/v1/plugin/reload", code: 403, token: true},
		{method: "POST", path: "/v1/plugin/reload", code: 409, setup: failing(errRefused)},
		{method: "GET", path: "/v1/events?election=invoices", code: 404},
		{method: "GET", path: "/v1/events", code: 503, setup: func(s *served) { s.streams.open.Store(maxStreams) }},
		{method: "GET", path: "/v1/events", code: 200, setup: func(s *served) { s.end() }}, // a stream that ends at once
		{method: "GET", path: "/v1/openapi.yaml", code: 200},
		{method: "GET", path: "/livez", code: 200},
		{method: "GET", path: "/livez", code: 503, setup: func(s *served) { s.source.set(func(f *fake) { f.hang = make(chan struct{}) }) }},
		{method: "GET", path: "/readyz", code: 200},
		{method: "GET", path: "/readyz", code: 503, setup: as("broken", false)},
		{method: "GET", path: "/metrics", code: 200},
	}
	for verb, body := range map[string]string{
		"step-down": `{"to":"db-b"}`, "pause": `{"for_ms":1000}`, "resume": "", "admit": "", "release": `{"epoch":7,"force":true}`,
	} {
		path := e + "/" + verb
		out = append(out,
			provoked{method: "POST", path: path, body: body, code: 200},
			provoked{method: "POST", path: path, body: body, code: 202, setup: failing(context.DeadlineExceeded)},
			provoked{method: "POST", path: path, body: body, code: 401, stranger: true},
			provoked{method: "POST", path: "/v1/elections/invoices/" + verb, body: body, code: 404},
			provoked{method: "POST", path: path, body: body, code: 409, setup: failing(errRefused)},
			provoked{method: "POST", path: path, body: `{"x":` + strings.Repeat(" ", maxRequest) + `1}`, code: 400},
		)
	}
	return append(out,
		provoked{method: "POST", path: e + "/step-down", code: 202, setup: outcome(client.OutcomeForwarded)},
		provoked{method: "POST", path: e + "/release", body: `{"epoch":7,"force":true}`, code: 202, setup: outcome(client.OutcomeUnknown)},
		provoked{method: "POST", path: e + "/step-down", body: `{"two":"db-b"}`, code: 400},
		provoked{method: "POST", path: e + "/step-down", body: `{} {}`, code: 400},
		provoked{method: "POST", path: e + "/step-down", body: `{}} {"to":"db-b"}`, code: 400},
		provoked{method: "POST", path: e + "/pause", body: `{"for_ms":0}`, code: 400},
		provoked{method: "POST", path: e + "/release", body: `{"epoch":7}`, code: 400},
	)
}

// TestAnswersAreAsDescribed provokes every answer that the description names, and
// holds it against the description.
func TestAnswersAreAsDescribed(t *testing.T) {
	doc := loadDescription(t)
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range provocations() {
		s := serve(t, nil)
		if p.setup != nil {
			p.setup(s)
		}
		operation, code := p.ask(t, router, s)
		if code != p.code {
			t.Errorf("%s %s %.40s: %d, want %d", p.method, p.path, p.body, code, p.code)
		}
		seen[fmt.Sprintf("%s %d", operation, code)] = true
		if hang := s.source.hang; hang != nil {
			close(hang)
		}
		s.Close()
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for code := range operation.Responses.Map() {
				if code != "default" && !seen[operation.OperationID+" "+code] {
					t.Errorf("%s %s: the answer %s is described and was never provoked", method, path, code)
				}
			}
		}
	}
}

// ask sends the request and checks the answer.
func (p provoked) ask(t *testing.T, router routers.Router, s *served) (operation string, code int) {
	t.Helper()
	host, by := "http://electd", s.unix
	if p.stranger || p.token {
		host, by = s.tcp, http.DefaultClient
	}
	r, err := http.NewRequestWithContext(t.Context(), p.method, host+p.path, strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if p.token {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	answer, err := by.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if p.method == http.MethodHead { // what GET would answer, without the body
		return "", answer.StatusCode
	}
	found, parameters, err := router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %s is not described: %v", p.method, p.path, err)
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: found},
		Status:                 answer.StatusCode, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(body)),
	})
	if err != nil {
		t.Errorf("%s %s: the answer %d is not as described: %v\n%s", p.method, p.path, answer.StatusCode, err, body)
	}
	return found.Operation.OperationID, answer.StatusCode
}

// TestRefusalsAreInJSON: also those that no route makes, and that Go's own
// library would word.
func TestRefusalsAreInJSON(t *testing.T) {
	s := serve(t, nil)
	for _, c := range []struct {
		method, path, origin string
		code                 int
	}{
		{"GET", "/v1/nothing", "", 404},
		{"GET", "//v1/node", "", 404},
		{"POST", "/v1/elections/orders/../orders/resume", "", 404},
		{"PATCH", "/v1/node", "", 405},
		{"POST", "/v1/elections/orders/resume", "https://elsewhere.example", 403},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://electd"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		answer, err := s.unix.Transport.RoundTrip(r) // follows nothing
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.code {
			t.Errorf("%s %s: %d, %v, want %d", c.method, c.path, answer.StatusCode, err, c.code)
		}
		refusal(t, answer, body)
	}
}
