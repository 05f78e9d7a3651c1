// Package faultproxy stands between a client and an HTTP store in tests and
// does to each request what the test says: the faults that stores in the cloud
// produce now and then, and that servers on loopback produce never.
package faultproxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Verdict decides what becomes of one request. It must answer or drop it.
type Verdict func(x *Exchange)

// Proxy forwards requests to a store, each by its verdict. Without one a request
// passes unchanged. The Host header stays as the client sent it, since requests
// may be signed with it.
type Proxy struct {
	URL string // of the proxy: http://127.0.0.1:PORT

	target *url.URL
	client *http.Client
	ctx    context.Context // ends with the test

	mu      sync.Mutex
	next    []Verdict
	decide  func(*http.Request) Verdict
	log     []string
	headers []http.Header
	etags   map[string][]string // by path: the ETags of its answers, in order
}

// New starts a proxy in front of the store at target, an http:// URL. It ends
// with the test.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	transport := &http.Transport{DisableCompression: true}
	p := &Proxy{target: u, ctx: ctx, etags: map[string][]string{}, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	server := httptest.NewServer(p)
	p.URL = server.URL
	t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
		transport.CloseIdleConnections()
	})
	return p
}

// Next gives verdicts to the next requests, one each, before Decide is asked.
func (p *Proxy) Next(verdicts ...Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = append(p.next, verdicts...)
}

// Decide asks f for the verdict of every request for which Next left none; nil
// lets it pass. A nil f lets all pass.
func (p *Proxy) Decide(f func(*http.Request) Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = f
}

// Log returns method and path of every request so far, in order of arrival.
func (p *Proxy) Log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.log...)
}

// Headers returns the headers of every request so far, in order of arrival.
func (p *Proxy) Headers() []http.Header {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]http.Header(nil), p.headers...)
}

// ServeHTTP carries out one request's verdict.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verdict := p.verdict(r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	verdict(&Exchange{Request: r, Body: body, proxy: p, writer: w})
}

func (p *Proxy) verdict(r *http.Request) Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, r.Method+" "+r.URL.Path)
	p.headers = append(p.headers, r.Header.Clone())
	var v Verdict
	switch {
	case len(p.next) > 0:
		v, p.next = p.next[0], p.next[1:]
	case p.decide != nil:
		v = p.decide(r)
	}
	if v == nil {
		v = Pass()
	}
	return v
}

// Exchange is one request in the proxy's hands.
type Exchange struct {
	Request *http.Request // as it came; a verdict may change it before Forward
	Body    []byte

	proxy  *Proxy
	writer http.ResponseWriter
}

// Answer is a response of the store, or one made up.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Forward sends the request to the store and returns its answer. It outlives
// the client's connection, as a request in flight does.
func (x *Exchange) Forward() (Answer, error) {
	target := *x.Request.URL
	target.Scheme, target.Host = x.proxy.target.Scheme, x.proxy.target.Host
	out, err := http.NewRequestWithContext(x.proxy.ctx, x.Request.Method, target.String(), bytes.NewReader(x.Body))
	if err != nil {
		return Answer{}, err
	}
	out.Header = x.Request.Header.Clone()
	out.Host = x.Request.Host
	response, err := x.proxy.client.Do(out)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, err
	}
	x.proxy.remember(x.Request.URL.Path, response.Header.Get("ETag"))
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

// remember keeps the ETags of a path, in order and without repetition.
func (p *Proxy) remember(path, etag string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.etags[path]
	if etag != "" && (len(known) == 0 || known[len(known)-1] != etag) {
		p.etags[path] = append(known, etag)
	}
}

// earlier returns the ETag that path had before its present one; empty if none.
func (p *Proxy) earlier(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.etags[path]; len(known) >= 2 {
		return known[len(known)-2]
	}
	return ""
}

// Send gives the client an answer.
func (x *Exchange) Send(a Answer) {
	for name, values := range a.Header {
		x.writer.Header()[name] = values
	}
	x.writer.WriteHeader(a.Status)
	_, _ = x.writer.Write(a.Body)
}

// Refuse gives the client an error in S3's form.
func (x *Exchange) Refuse(status int, code string) {
	x.Send(Answer{
		Status: status,
		Header: http.Header{"Content-Type": {"application/xml"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body:   fmt.Appendf(nil, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>said by the fault proxy</Message></Error>", code),
	})
}

// Drop cuts the client's connection without an answer.
func (x *Exchange) Drop() { panic(http.ErrAbortHandler) }

// Gone is closed when the client gave up.
func (x *Exchange) Gone() <-chan struct{} { return x.Request.Context().Done() }
