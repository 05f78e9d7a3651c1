package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/core"
)

func probeCommand(s streams) *cobra.Command {
	var asJSON bool
	var within time.Duration
	c := &cobra.Command{
		Use:   "probe [--config FILE | --arbiter NAME --set NAME=VALUE ...]",
		Short: "Examine the store that elections would stand on",
		Long: `Examine the store behind an arbiter, under concurrency and on keys of its own: whether it
keeps what an election needs, how far its clock is off, how long requests take. The
daemon does the same when it starts. Keys of an election are not touched. A bully voter
whose daemon runs is examined beside it, without a vote.

Exit status: 0 fit, 1 it does not answer, 3 wrong configuration, 4 it must not be used.`,
		Example: "  electd probe --config /etc/electd/electd.hcl\n  electd probe --arbiter s3 --set bucket=acme-ha --set region=eu-west-1 --json",
		Args:    exactly(0, "no argument"),
	}
	st := storeFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().DurationVar(&within, "within", 2*time.Minute, "how long the probe may take")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		config, err := st.load(s)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), within)
		defer cancel()
		host, err := agent.OpenBeside(ctx, config, hclog.NewNullLogger())
		if err != nil {
			return wrong(s, err)
		}
		report, err := agent.Probe(ctx, host, config.Node.ID)
		if err := errors.Join(err, host.Close()); err != nil {
			return status{exitFailed, fmt.Errorf("electd probe: %w", err)}
		}
		show := showProbe
		if asJSON {
			show = showProbeJSON
		}
		if err := show(s.out, config.Arbiter.Name, report); err != nil {
			return err
		}
		return probed(report.Worst())
	}
	return c
}

// probed is the exit status of a probe.
func probed(worst core.Verdict) error {
	switch worst {
	case core.Refused:
		return status{code: exitRefused}
	case core.Unreachable:
		return status{code: exitFailed}
	}
	return nil
}

func showProbe(out io.Writer, arbiter string, r core.ProbeReport) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "arbiter\t%s\nstore\t%s\n", arbiter, r.Store)
	for _, l := range []struct {
		name string
		core.Latencies
	}{{"reads", r.Read}, {"writes", r.Write}} {
		if l.Count > 0 {
			fmt.Fprintf(table, "%s\t%d: half within %s, 90 %% within %s, 99 %% within %s\n", l.name, l.Count, millis(l.P50), millis(l.P90), millis(l.P99))
		}
	}
	if r.OffsetBy > 0 {
		fmt.Fprintf(table, "clock\t%s this machine's, give or take %s\n", apart(r.Offset), millis(r.OffsetBy))
	}
	fmt.Fprintf(table, "requests\t%d\n\n", r.Requests)
	for _, f := range r.Findings {
		observed := f.Observed
		if f.Verdict > core.Noted {
			observed = "see below"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Verdict, f.Check, observed)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if f.Verdict > core.Noted {
			fmt.Fprintf(out, "\n%s %s: %s\n  %s\n  %s\n", f.Verdict, f.Check, f.Observed, f.Why, f.Advice)
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", verdictText(r.Worst()))
	return err
}

func verdictText(worst core.Verdict) string {
	switch worst {
	case core.Refused:
		return "This store must not be used: on it, two nodes could lead at once."
	case core.Unreachable:
		return "The store could not be examined, so nothing is known of it."
	case core.Warned:
		return "The store keeps what an election needs. Look at the warnings."
	}
	return "The store keeps what an election needs."
}

// apart says how far the store's clock is ahead (positive) or behind.
func apart(offset time.Duration) string {
	if offset < 0 {
		return millis(-offset).String() + " behind"
	}
	return millis(offset).String() + " ahead of"
}

func millis(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// probeJSON is a report as JSON; durations are milliseconds.
type probeJSON struct {
	Arbiter    string        `json:"arbiter"`
	Store      string        `json:"store"`
	Verdict    string        `json:"verdict"`
	Requests   int           `json:"requests"`
	Read       latencyJSON   `json:"read"`
	Write      latencyJSON   `json:"write"`
	OffsetMS   *float64      `json:"clock_offset_ms,omitempty"` // store's less this machine's; absent if unknown
	OffsetByMS float64       `json:"clock_offset_uncertainty_ms,omitempty"`
	Findings   []findingJSON `json:"findings"`
}

type latencyJSON struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P99   float64 `json:"p99_ms"`
}

type findingJSON struct {
	Check    string `json:"check"`
	Verdict  string `json:"verdict"`
	Observed string `json:"observed"`
	Why      string `json:"why"`
	Advice   string `json:"advice,omitempty"`
}

func showProbeJSON(out io.Writer, arbiter string, r core.ProbeReport) error {
	shown := probeJSON{
		Arbiter: arbiter, Store: r.Store, Verdict: r.Worst().String(), Requests: r.Requests,
		Read: latencyOf(r.Read), Write: latencyOf(r.Write), Findings: []findingJSON{},
	}
	if r.OffsetBy > 0 {
		offset := inMS(r.Offset)
		shown.OffsetMS, shown.OffsetByMS = &offset, inMS(r.OffsetBy)
	}
	for _, f := range r.Findings {
		shown.Findings = append(shown.Findings, findingJSON{f.Check, f.Verdict.String(), f.Observed, f.Why, f.Advice})
	}
	return json.NewEncoder(out).Encode(shown)
}

func latencyOf(l core.Latencies) latencyJSON {
	return latencyJSON{l.Count, inMS(l.P50), inMS(l.P90), inMS(l.P99)}
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
