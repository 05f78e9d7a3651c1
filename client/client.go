package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Client talks to one daemon. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// Options of New. The zero value is right for a Unix socket.
type Options struct {
	Token     string          // shown to a TCP listener that asks for one
	Transport *http.Transport // nil: one of its own; its dialler is replaced for a Unix socket
}

// New returns a client of the daemon at address: "unix:///path/api.sock", a
// path, "http://host:port" or "https://host:port".
func New(address string, o Options) (*Client, error) {
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{}
	}
	c := &Client{token: o.Token, http: &http.Client{Transport: transport}}
	path, unix := strings.CutPrefix(address, "unix://")
	switch {
	case unix || strings.HasPrefix(address, "/") || strings.HasPrefix(address, "."):
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		}
		c.base = "http://electd"
	default:
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("API address %q: want a socket's path, unix:///path, http://host:port or https://host:port", address)
		}
		c.base = strings.TrimSuffix(address, "/")
	}
	return c, nil
}

// FromEnvironment returns a client of the daemon that runs this program, by
// ELECTD_API and ELECTD_TOKEN_FILE.
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
	return New(address, o)
}

// Error is an answer of the daemon that is an error.
type Error struct {
	Status int // HTTP
	Text   string
}

// Error returns what the daemon said.
func (e *Error) Error() string { return e.Text }

// Node returns the daemon as a whole.
func (c *Client) Node(ctx context.Context) (Node, error) {
	return call[Node](ctx, c, http.MethodGet, "/v1/node", nil)
}

// Election returns how an election stands. Its ValidForMS counts from before
// the request was sent.
func (c *Client) Election(ctx context.Context, name string) (Election, error) {
	sent := time.Now()
	e, err := call[Election](ctx, c, http.MethodGet, electionPath(name, ""), nil)
	e.ValidForMS = max(0, e.ValidForMS-time.Since(sent).Milliseconds())
	return e, err
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

func electionPath(name, verb string) string {
	path := "/v1/elections/" + url.PathEscape(name)
	if verb != "" {
		path += "/" + verb
	}
	return path
}

// maxAnswer bounds an answer of the daemon.
const maxAnswer = 4 << 20

func call[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var out T
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return out, err
		}
		sent = bytes.NewReader(text)
	}
	answer, err := c.do(ctx, method, path, sent)
	if err != nil {
		return out, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&out); err != nil {
		return out, fmt.Errorf("the daemon's answer to %s %s: %w", method, path, err)
	}
	return out, nil
}

// do sends one request and returns its answer unless that is an error.
func (c *Client) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	var failure Failure
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if json.Unmarshal(text, &failure) != nil || failure.Error == "" {
		failure.Error = fmt.Sprintf("%s %s: %s", method, path, answer.Status)
	}
	return nil, &Error{Status: answer.StatusCode, Text: failure.Error}
}
