package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core/sim"
)

func runCommand() *cobra.Command {
	var (
		swarm   = sim.Swarm{First: 1}
		without []string
		asJSON  bool
		partial bool
	)
	c := &cobra.Command{
		Use:     "run",
		Short:   "Simulate elections under faults, one a seed",
		Example: "  electsim run --seeds 10000 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if swarm.Seeds == 0 && swarm.Budget == 0 {
				swarm.Budget = time.Minute
			}
			for _, kind := range without {
				swarm.Without = append(swarm.Without, sim.FaultKind(kind))
			}
			defer debug.SetGCPercent(debug.SetGCPercent(800)) // next to nothing is garbage
			sum := swarm.Run()
			if used := processorTime(); used > 0 {
				sum.EventsPerSecond = float64(sum.Events) / used.Seconds()
			}
			report(cmd.OutOrStdout(), &sum, asJSON)
			missing := sum.Coverage.Missing()
			if len(missing) > 0 && !partial {
				fmt.Fprintf(cmd.ErrOrStderr(), "electsim: never reached: %v; run more seeds, or pass --partial\n", missing)
				return errFound
			}
			if sum.Violations > 0 {
				return errFound
			}
			return nil
		},
	}
	f := c.Flags()
	f.Uint64Var(&swarm.First, "first", 1, "seed of the first run")
	f.Uint64Var(&swarm.Seeds, "seeds", 0, "how many seeds to run")
	f.DurationVar(&swarm.Budget, "budget", 0, "how long to run")
	f.IntVar(&swarm.Workers, "workers", runtime.GOMAXPROCS(0), "runs at a time")
	f.IntVar(&swarm.Until, "until", 20, "stop after so many violations")
	f.StringSliceVar(&without, "without", nil, "kinds of faults to leave out")
	f.BoolVar(&asJSON, "json", false, "report as JSON lines")
	f.BoolVar(&partial, "partial", false, "do not insist that every interesting state was reached")
	return c
}

// report writes one line a violation, and the sum at the end.
func report(w io.Writer, sum *sim.Summary, asJSON bool) {
	for i := range sum.Failures {
		r := &sum.Failures[i]
		if asJSON {
			line(w, map[string]any{
				"violation": r.Failure.Invariant, "seed": r.Seed, "mode": r.Mode,
				"at": seconds(r.Failure.At), "text": r.Failure.Text,
			})
			continue
		}
		fmt.Fprintf(w, "%s in seed %d (%s) at %.3fs: %s\n  electsim replay --seed %d --trace\n",
			r.Failure.Invariant, r.Seed, r.Mode, seconds(r.Failure.At), r.Failure.Text, r.Seed)
	}
	hours := seconds(sum.Simulated) / 3600
	if asJSON {
		line(w, map[string]any{
			"seeds": sum.Runs, "first": sum.First, "last": sum.Last,
			"failovers": sum.Failovers, "simulated_hours": hours, "events": sum.Events,
			"events_per_second": sum.EventsPerSecond, "violations": sum.Violations, "left_out": sum.LeftOut, "coverage": sum.Coverage,
		})
		return
	}
	fmt.Fprintf(w, "%d seeds, %d failovers, %.1f simulated hours, %d events, %.2f million a second and core, %d violations, %d left out\n",
		sum.Runs, sum.Failovers, hours, sum.Events, sum.EventsPerSecond/1e6, sum.Violations, sum.LeftOut)
	for i, n := range sum.Coverage {
		fmt.Fprintf(w, "%10d %s\n", n, sim.Counter(i))
	}
}

func line(w io.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "%s\n", text)
}

func seconds(t sim.Time) float64 { return float64(t) / float64(sim.Second) }
