package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
)

// reportFirst is when the arbiter is first asked what it knows of itself,
// reportEvery how often from then on, and reportWithin how long it may take to
// answer. No request to the store comes of it, and no call of an election waits
// for it.
const (
	reportFirst  = time.Second // it has looked for its credentials by then
	reportEvery  = 10 * time.Second
	reportWithin = 5 * time.Second
)

// report keeps what the arbiter told of itself last, and tells what changes.
type report struct {
	log hclog.Logger

	mu   sync.Mutex
	last core.ArbiterReport
}

func newReport(log hclog.Logger) *report { return &report{log: log} }

// keep asks for reports until ctx ends, and hands each to then. One that does not
// come changes nothing: the status says whether the arbiter runs at all.
func (r *report) keep(ctx context.Context, from core.Reporter, then func(context.Context, core.ArbiterReport)) {
	for pause := reportFirst; ; pause = reportEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		asked, cancel := context.WithTimeout(ctx, reportWithin)
		news, err := from.Report(asked)
		cancel()
		if err == nil {
			r.take(news)
			then(ctx, news)
		} else if ctx.Err() == nil {
			r.log.Debug("the arbiter does not report", "error", err)
		}
	}
}

// take keeps a report and logs which problems are new and which are over.
func (r *report) take(news core.ArbiterReport) {
	r.mu.Lock()
	before := r.last
	r.last = news
	r.mu.Unlock()
	for _, problem := range news.Problems {
		if !slices.Contains(before.Problems, problem) {
			r.log.Warn("the arbiter reports a problem", "problem", problem)
		}
	}
	for _, problem := range before.Problems {
		if !slices.Contains(news.Problems, problem) {
			r.log.Info("a problem of the arbiter is over", "problem", problem)
		}
	}
}

// tell adds what the arbiter told last to its status.
func (r *report) tell(out *client.Arbiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out.Problems = slices.Clone(r.last.Problems)
	if len(r.last.Preferred) > 0 {
		out.Preferred = r.last.Preferred[0]
	}
	if c := r.last.Credentials; c != (core.Credentials{}) {
		out.Credentials = &client.Credentials{Source: c.Source, ID: c.ID, ExpiresAt: c.Expires, Problem: c.Problem}
	}
}
