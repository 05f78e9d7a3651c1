// Command electd-arbiter-web is the smallest complete plugin: an arbiter on any
// web server that keeps what is PUT and honours If-Match and If-None-Match.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Config is what a user writes into the block arbiter "web" { … }.
type Config struct {
	URL     string        `electd:"url,required" doc:"Where the records are kept; keys are put behind it."`
	Token   string        `electd:"token,sensitive" doc:"Sent as a bearer token."`
	Timeout time.Duration `electd:"timeout" default:"5s" doc:"Limit of one request."`
}

func main() {
	plugins.Serve(plugins.Plugin[Config]{
		Name: "web", Version: "1.0.0", Doc: "Keeps lease records on a web server that honours If-Match.", New: open,
	})
}

// arbiter implements core.Arbiter: a register with compare-and-swap.
type arbiter struct {
	config Config
	client http.Client
}

// open must not need the store: it may be away while electd starts.
func open(_ context.Context, c Config) (core.Arbiter, error) {
	if !strings.HasPrefix(c.URL, "http://") && !strings.HasPrefix(c.URL, "https://") {
		return nil, &core.AttributeError{Attribute: "url", Problem: "is no web address", Advice: "begin it with https://"}
	}
	return &arbiter{config: c, client: http.Client{
		Timeout:   c.Timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}, // of its own, so that Close can end it
		// A redirected write may have been carried out: let nobody follow it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Read returns what is stored under a key. Never written is an answer: the zero
// Snapshot. An error without a code counts as core.ErrUnavailable here.
func (a *arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	answer, body, err := a.ask(ctx, http.MethodGet, key, nil, "", "")
	switch {
	case err != nil:
		return core.Snapshot{}, err
	case answer.StatusCode == http.StatusNotFound:
		return core.Snapshot{}, nil
	case answer.StatusCode != http.StatusOK:
		return core.Snapshot{}, refusal(answer)
	}
	version, err := versionOf(answer)
	return core.Snapshot{Version: version, Record: body}, err
}

// CompareAndSwap writes iff the stored version is the expected one. An error
// without a code counts as core.ErrUnknown here: nobody knows whether the write
// happened. It never tries twice.
func (a *arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	condition, value := "If-None-Match", "*"
	if swap.Expected != "" {
		condition, value = "If-Match", string(swap.Expected)
	}
	answer, _, err := a.ask(ctx, http.MethodPut, swap.Key, swap.Record, condition, value)
	switch {
	case err != nil:
		return "", err
	case answer.StatusCode == http.StatusPreconditionFailed:
		return "", core.ErrConflict
	case answer.StatusCode/100 != 2:
		return "", refusal(answer)
	}
	return versionOf(answer)
}

// Close frees what the arbiter holds.
func (a *arbiter) Close() error {
	a.client.CloseIdleConnections()
	return nil
}

func (a *arbiter) ask(ctx context.Context, method, key string, body []byte, header, value string) (*http.Response, []byte, error) {
	address := strings.TrimSuffix(a.config.URL, "/") + "/" + url.PathEscape(key)
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", core.ErrInvalid, err)
	}
	if header != "" {
		request.Header.Set(header, value)
	}
	if a.config.Token != "" {
		request.Header.Set("Authorization", "Bearer "+a.config.Token)
	}
	answer, err := a.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	received, err := io.ReadAll(answer.Body)
	return answer, received, err
}

// versionOf takes the ETag as it is; one that is missing or weak tells no two
// records apart.
func versionOf(answer *http.Response) (core.Version, error) {
	etag := answer.Header.Get("ETag")
	if etag == "" || strings.HasPrefix(etag, "W/") {
		return "", fmt.Errorf("the server gave no strong ETag, but %q", etag)
	}
	return core.Version(etag), nil
}

// refusal gives an answer its code, where the answer says that nothing was done.
func refusal(answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: the server answered %s; check token", core.ErrDenied, answer.Status)
	case http.StatusTooManyRequests:
		return fmt.Errorf("%w: the server answered %s", core.ErrThrottled, answer.Status)
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest:
		return fmt.Errorf("%w: the server answered %s; check url", core.ErrInvalid, answer.Status)
	}
	return fmt.Errorf("the server answered %s", answer.Status)
}
