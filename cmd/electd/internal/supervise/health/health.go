// Package health asks again and again whether this node is fit to lead
// (design 8.3): by a command or an HTTP request.
package health

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/supervise/environ"
)

// Config says how to find out. Exactly one of Command and HTTP is given.
type Config struct {
	Command []string // healthy if it exits with 0; no shell
	Dir     string
	Env     map[string]string
	Set     []string // further variables, NAME=value, that electd sets: ELECTD_ELECTION, ELECTD_NODE, …

	HTTP string // healthy if a GET of this URL answers 2xx; redirects are not followed

	Interval  time.Duration // from one check's start to the next one's. Default 5 s
	Timeout   time.Duration // a check that takes longer has failed. Default 2 s
	Failures  int           // in a row, that make a healthy node unhealthy. Default 3
	Successes int           // in a row, that make an unhealthy node healthy. Default 2

	Log hclog.Logger // nil: none
}

// Check says what is wrong with a Config.
func (c Config) Check() error {
	var errs []error
	switch {
	case len(c.Command) > 0 && c.HTTP != "":
		errs = append(errs, errors.New("a health check is a command or an http request, not both"))
	case len(c.Command) == 0 && c.HTTP == "":
		errs = append(errs, errors.New("a health check needs a command or the URL of an http request"))
	case c.HTTP != "":
		if u, err := url.Parse(c.HTTP); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("%q is no URL of the form http://host:port/path", c.HTTP))
		}
	}
	if c.Interval < 0 || c.Timeout < 0 || c.Failures < 0 || c.Successes < 0 {
		errs = append(errs, errors.New("interval, timeout, failures and successes cannot be negative"))
	}
	return errors.Join(append(errs, environ.Check(c.Env))...)
}

func (c Config) withDefaults() Config {
	if c.Interval == 0 {
		c.Interval = 5 * time.Second
	}
	if c.Timeout == 0 {
		c.Timeout = 2 * time.Second
	}
	if c.Failures == 0 {
		c.Failures = 3
	}
	if c.Successes == 0 {
		c.Successes = 2
	}
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	return c
}

// Gate is a check that goes on.
type Gate struct {
	end  context.CancelFunc
	done chan struct{}
}

// Start begins to check, at once. changed is told the first answer and every
// change after it, with a sentence that says why; it must not block. Until the
// first answer, which a single check gives, nothing is known and the node should
// not stand.
func Start(c Config, changed func(healthy bool, why string)) (*Gate, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	ctx, end := context.WithCancel(context.Background())
	g := &Gate{end: end, done: make(chan struct{})}
	go func() {
		defer close(g.done)
		c.watch(ctx, changed)
	}()
	return g, nil
}

// Close ends the check. When it returns, changed is not called any more.
func (g *Gate) Close() {
	g.end()
	<-g.done
}

// watch checks until ctx ends.
func (c Config) watch(ctx context.Context, changed func(bool, string)) {
	counter := counter{failures: c.Failures, successes: c.Successes}
	next := time.NewTicker(c.Interval)
	defer next.Stop()
	for {
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		c.Log.Debug("health checked", "error", err)
		if healthy, changes := counter.count(err == nil); changes {
			changed(healthy, why(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// why says what made the change, which is the last check.
func why(err error) string {
	if err == nil {
		return "the health check succeeds"
	}
	return "the health check fails: " + err.Error()
}

var errTimeout = errors.New("no answer in time")

// once makes one check; nil is healthy.
func (c Config) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w, which is %s", errTimeout, c.Timeout))
	defer cancel()
	if c.HTTP != "" {
		return c.get(ctx)
	}
	return c.run(ctx)
}
