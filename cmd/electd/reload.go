package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
)

// reload reads the configuration again, applies what can change, and logs what
// did and what did not.
func reload(log hclog.Logger, a *agent.Agent, path string) {
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
	ctx, cancel := context.WithTimeout(context.Background(), releaseWithin)
	defer cancel()
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
