package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Client talks to one daemon. It is safe for concurrent use.
type Client struct {
	base    string
	options Options
	http    *http.Client
}

// Options of New. The zero value is right for a Unix socket.
type Options struct {
	Token string // shown to a TCP listener that asks for one

	// For https: what the daemon is known by, and what it knows the client by.
	CAFile            string // authorities that may have signed the daemon's certificate, PEM; empty: the machine's own
	CertFile, KeyFile string // a certificate that api.tls.ca_file of the daemon has signed, and its key, PEM; may be empty

	Transport *http.Transport // nil: one of its own; what the files above hold is put into it, its dialler is replaced for a Unix socket
}

// New returns a client of the daemon at address: the path of its socket,
// "unix:///path/api.sock", "http://host:port" or "https://host:port". A relative
// path starts at the working folder of this moment.
func New(address string, o Options) (*Client, error) {
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{}
	}
	c := &Client{options: o, http: &http.Client{Transport: transport}}
	if scheme, _, ok := strings.Cut(address, "://"); ok && scheme != "unix" {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, wrongAddress(address)
		}
		c.base = strings.TrimSuffix(address, "/")
		return c, c.options.secure(address, transport)
	}
	if err := o.secure(address, transport); err != nil {
		return nil, err
	}
	path := strings.TrimPrefix(address, "unix://")
	if path == "" || hostAndPort.MatchString(path) {
		return nil, wrongAddress(address)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("API address %q: %w", address, err)
	}
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	c.base = "http://electd"
	return c, nil
}

// hostAndPort is what looks like a TCP address whose scheme was forgotten.
var hostAndPort = regexp.MustCompile(`^[^/]*:\d+$`)

func wrongAddress(address string) error {
	return fmt.Errorf("API address %q: want a socket's path, unix:///path, http://host:port or https://host:port", address)
}

// FromEnvironment returns a client of the daemon that runs this program, by
// ELECTD_API and ELECTD_TOKEN_FILE and, for https, ELECTD_CA_FILE, ELECTD_CERT_FILE
// and ELECTD_KEY_FILE.
func FromEnvironment() (*Client, error) {
	address := os.Getenv("ELECTD_API")
	if address == "" {
		return nil, errors.New("ELECTD_API is not set: this program was not started by electd")
	}
	var o Options
	if file := os.Getenv("ELECTD_TOKEN_FILE"); file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("ELECTD_TOKEN_FILE: %w", err)
		}
		o.Token = strings.TrimSpace(string(token))
	}
	if strings.HasPrefix(address, "https://") {
		o.CAFile, o.CertFile, o.KeyFile = os.Getenv("ELECTD_CA_FILE"), os.Getenv("ELECTD_CERT_FILE"), os.Getenv("ELECTD_KEY_FILE")
	}
	return New(address, o)
}

// Error is an answer of the daemon that is an error.
type Error struct {
	Status int // HTTP
	Text   string
}

// Error returns what the daemon said.
func (e *Error) Error() string { return e.Text }

// Close closes connections that are not in use. Events and guards still open
// have to be ended by themselves.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Node returns the daemon as a whole. Every election's ages and validities are
// as of the return: the time that the request took is counted.
func (c *Client) Node(ctx context.Context) (Node, error) {
	sent := now()
	n, err := call[Node](ctx, c, http.MethodGet, "/v1/node", nil)
	for i := range n.Elections {
		n.Elections[i].pass(sent.since())
	}
	return n, err
}

// Election returns how an election stands, as of the return.
func (c *Client) Election(ctx context.Context, name string) (Election, error) {
	sent := now()
	e, err := call[Election](ctx, c, http.MethodGet, electionPath(name, ""), nil)
	if err == nil {
		e.pass(sent.since())
	}
	return e, err
}

// pass takes note of time that has passed since the request was sent.
func (e *Election) pass(d time.Duration) {
	took := (d + time.Millisecond - 1).Milliseconds()
	e.ValidForMS = max(0, e.ValidForMS-took)
	if e.AgeMS >= 0 {
		e.AgeMS += min(took, math.MaxInt64-e.AgeMS)
	}
}

// Lease reads the record. It costs a request to the store.
func (c *Client) Lease(ctx context.Context, election string) (Lease, error) {
	return call[Lease](ctx, c, http.MethodGet, electionPath(election, "lease"), nil)
}

// Ready reports whether the daemon can take part in its elections; which is not
// leading them. The error is about the request alone.
func (c *Client) Ready(ctx context.Context) (Health, error) {
	answer, err := c.send(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return Health{}, err
	}
	if answer.StatusCode == http.StatusServiceUnavailable {
		return read[Health](answer)
	}
	if err := refused(answer); err != nil {
		return Health{}, err
	}
	return read[Health](answer)
}

// StepDown asks for the leader to give up, to the named node or, with an empty
// name, to anyone. A follower forwards it to the leader.
func (c *Client) StepDown(ctx context.Context, election, to string) (Done, error) {
	return call[Done](ctx, c, http.MethodPost, electionPath(election, "step-down"), StepDown{To: to})
}

// Pause keeps the daemon's node from standing for a while.
func (c *Client) Pause(ctx context.Context, election string, d time.Duration) (Done, error) {
	return call[Done](ctx, c, http.MethodPost, electionPath(election, "pause"), Pause{ForMS: d.Milliseconds()})
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context, election string) (Done, error) {
	return call[Done](ctx, c, http.MethodPost, electionPath(election, "resume"), nil)
}

// Admit lets the daemon's node challenge although it is not among the electors:
// the caller swears that every elector of the record is gone for good.
func (c *Client) Admit(ctx context.Context, election string) (Done, error) {
	return call[Done](ctx, c, http.MethodPost, electionPath(election, "admit"), nil)
}

// Release writes the record vacant although its holder did not: the caller
// swears that the holder, at that epoch, is gone for good.
func (c *Client) Release(ctx context.Context, election string, epoch uint64) (Done, error) {
	return call[Done](ctx, c, http.MethodPost, electionPath(election, "release"), Release{Epoch: epoch, Force: true})
}

// ReloadPlugin has the daemon start its arbiter's plugin anew, as its file and the
// plugin block of the configuration are now, and put it in the old one's place.
// It is refused over TCP.
func (c *Client) ReloadPlugin(ctx context.Context, name string) (Plugin, error) {
	return call[Plugin](ctx, c, http.MethodPost, "/v1/plugin/reload", ReloadPlugin{Name: name})
}

func electionPath(name, rest string) string {
	path := "/v1/elections/" + url.PathEscape(name)
	if rest != "" {
		path += "/" + rest
	}
	return path
}

// maxAnswer bounds an answer of the daemon.
const maxAnswer = 16 << 20

func call[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	answer, err := c.send(ctx, method, path, body)
	if err == nil {
		err = refused(answer)
	}
	if err != nil {
		var none T
		return none, err
	}
	return read[T](answer)
}

// send sends one request and returns the answer, whatever it says.
func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := c.options.Token; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.options.explain(c.base, err)
	}
	return answer, nil
}

// refused returns what an answer says if that is an error, and closes it then.
func refused(answer *http.Response) error {
	if answer.StatusCode < 300 {
		return nil
	}
	defer answer.Body.Close()
	var failure Failure
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if strings.Contains(string(text), "HTTP request to an HTTPS server") {
		return fmt.Errorf("%s speaks TLS: ask it as https://", answer.Request.URL.Host)
	}
	if json.Unmarshal(text, &failure) != nil || failure.Error == "" {
		failure.Error = fmt.Sprintf("%s %s: %s", answer.Request.Method, answer.Request.URL.Path, answer.Status)
	}
	return &Error{Status: answer.StatusCode, Text: failure.Error}
}

// read decodes an answer and closes it.
func read[T any](answer *http.Response) (T, error) {
	defer answer.Body.Close()
	var out, none T
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return none, fmt.Errorf("the daemon's answer to %s %s: %w", answer.Request.Method, answer.Request.URL.Path, err)
	}
	return out, nil
}
