package bully

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/core"
)

// Probe examines the cluster: whether every voter answers and agrees who votes,
// whether swaps hold under concurrency, and how long they take. It writes only
// keys that begin with the given one. The error is that of ctx.
func (a *Arbiter) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	reached := a.awaitVoters(ctx)
	var report core.ProbeReport
	if len(reached) >= a.electorate.Majority() {
		report = probe.Semantics(ctx, probe.Subject{Open: a.share, Key: key + "-" + a.config.Node, Writers: 4, Rounds: 2})
	}
	report.Store = fmt.Sprintf("bully: %d voters, %d make a majority", a.electorate.Size(), a.electorate.Majority())
	findings := []core.Finding{a.votersFinding(reached)}
	warnings, _ := a.config.Check()
	for _, text := range warnings {
		findings = append(findings, core.Finding{
			Check: "electorate", Why: "A majority of all voters decides, whoever is up.", Verdict: core.Warned, Observed: text,
			Advice: "see the configuration's voters and gossip_key",
		})
	}
	for _, text := range a.Problems() {
		findings = append(findings, core.Finding{
			Check: "setup", Why: "What is wrong now may cost the majority later.", Verdict: core.Warned, Observed: text,
			Advice: "see what is said",
		})
	}
	report.Findings = append(findings, report.Findings...)
	return report, ctx.Err()
}

// awaitVoters returns the voters that are reached; one that only just started gets
// a moment to find them.
func (a *Arbiter) awaitVoters(ctx context.Context) []string {
	for end := time.Now().Add(3 * a.profile.patience); ; {
		reached := a.reachedVoters(ctx)
		if len(reached) == a.electorate.Size() || time.Now().After(end) {
			return reached
		}
		select {
		case <-ctx.Done():
			return reached
		case <-time.After(a.profile.patience / 10):
		}
	}
}

// reachedVoters returns the voters that answer now, are admitted and can write.
func (a *Arbiter) reachedVoters(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 2*a.profile.patience)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	var reached []string
	add := func(node string) {
		mu.Lock()
		defer mu.Unlock()
		reached = append(reached, node)
	}
	for i := range a.electorate.Size() {
		node := a.electorate.Voter(i)
		if i == a.net.me {
			if a.voter.status().Standing.Generation > 0 && a.voter.failure() == "" {
				add(node)
			}
			continue
		}
		all.Go(func() {
			m, err := a.electors.status(ctx, i, a.introduce())
			if err != nil {
				a.problems.unreachable(node, err, time.Now())
				return
			}
			a.problems.reachable(node)
			if m.GetElectorate() == a.electorate.Hash() && m.GetStanding().GetGeneration() > 0 && m.GetFailing() == "" {
				if a.voter == nil {
					a.setFounding(m.GetStanding().GetFounding())
				}
				add(node)
			}
		})
	}
	all.Wait()
	return reached
}

func (a *Arbiter) votersFinding(reached []string) core.Finding {
	f := core.Finding{
		Check: "voters-reached", Why: "Nothing is decided without a majority of the voters.", Verdict: core.Passed,
		Observed: fmt.Sprintf("%d of %d voters answer, are admitted and can write", len(reached), a.electorate.Size()),
	}
	if len(reached) > 0 {
		f.Observed += ": " + strings.Join(reached, ", ")
	}
	switch {
	case len(reached) < a.electorate.Majority():
		f.Verdict, f.Advice = core.Unreachable, "start the others"
		if _, err := a.belongsTo(); err != nil {
			f.Advice += "; this node is not part of the cluster yet: " + a.problems.admission()
		}
	case len(reached) < a.electorate.Size():
		f.Verdict, f.Advice = core.Warned, "start the rest, or look at what is between"
	}
	return f
}

// share lends this arbiter to the examination: its clients have their own
// ballots, and the voters' connections in common.
func (a *Arbiter) share(context.Context) (core.Arbiter, error) { return shared{a}, nil }

type shared struct{ *Arbiter }

func (shared) Close() error { return nil }
