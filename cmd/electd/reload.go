package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
)

// reloads makes one reload at a time, beside the loop that waits for signals: an
// order to end must not wait for a slow one.
type reloads struct {
	each   func(context.Context)
	done   chan struct{} // closed when the one under way is over; nil if none is
	cancel context.CancelFunc
	again  bool // asked for meanwhile
}

// reloadWithin is for one reload, of a plugin or of everything: half of it for the
// examination of a new plugin, the rest for the release of elections that are no
// more.
const reloadWithin = 30 * time.Second

// ask begins a reload, or has one follow the one under way.
func (r *reloads) ask() {
	if r.done != nil {
		r.again = true
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), reloadWithin)
	done := make(chan struct{})
	r.done, r.cancel = done, cancel
	go func() {
		defer close(done)
		r.each(ctx)
	}()
}

// ended has to be called when done is closed.
func (r *reloads) ended() {
	r.cancel()
	r.done = nil
	if r.again {
		r.again = false
		r.ask()
	}
}

// end breaks off what is under way and waits until it is, or until ctx ends.
func (r *reloads) end(ctx context.Context) {
	if r.done == nil {
		return
	}
	r.cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// reload reads the configuration again, applies what can change, and logs what
// did and what did not.
func reload(ctx context.Context, log hclog.Logger, a *agent.Agent, path string) {
	next, diags := config.Load(path)
	for _, p := range diags.Problems() {
		if p.Severity == "error" {
			log.Error("in the configuration", "problem", p.String())
		} else {
			log.Warn("in the configuration", "problem", p.String())
		}
	}
	if next == nil {
		log.Error("the configuration has mistakes: nothing is changed", "file", path)
		return
	}
	changes, err := a.Reload(ctx, next)
	if err != nil {
		logProblems(log, err)
	}
	if changes == nil && err != nil {
		log.Error("the configuration cannot be applied: nothing is changed", "file", path)
		return
	}
	logChanges(log, path, changes)
}

// logProblems logs what is wrong, a line a problem.
func logProblems(log hclog.Logger, err error) {
	var located *config.Error
	if !errors.As(err, &located) {
		log.Error("reload", "problem", err)
		return
	}
	for _, p := range located.Diagnostics.Problems() {
		log.Error("in the configuration", "problem", p.String())
	}
}

func logChanges(log hclog.Logger, path string, changes []config.Change) {
	for _, c := range changes {
		if c.Restart == "" {
			log.Info("changed", "what", c.String())
		} else {
			log.Warn("not changed: only a restart applies it", "what", c.String())
		}
	}
	log.Info("the configuration is reloaded", "file", path, "changes", len(changes))
}

// absolute makes a path stay right when the working folder changes.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
