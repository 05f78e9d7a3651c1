package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core/sim"
)

// source says which plan a command is about.
type source struct {
	seed uint64
	file string
}

func (s *source) flags(c *cobra.Command) {
	c.Flags().Uint64Var(&s.seed, "seed", 0, "seed of the run")
	c.Flags().StringVar(&s.file, "plan", "", "file with a plan, as shrink writes it")
	c.MarkFlagsOneRequired("seed", "plan")
	c.MarkFlagsMutuallyExclusive("seed", "plan")
}

func (s *source) plan() (sim.Plan, error) {
	if s.file == "" {
		return sim.NewPlan(s.seed), nil
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return sim.Plan{}, err
	}
	var p sim.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return sim.Plan{}, fmt.Errorf("%s: not a plan: %w", s.file, err)
	}
	return p, nil
}

func replayCommand() *cobra.Command {
	var (
		from  source
		trace bool
	)
	c := &cobra.Command{
		Use:     "replay",
		Short:   "Run one seed or plan again",
		Example: "  electsim replay --seed 42 --trace",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := from.plan()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			r := sim.Run(p, tracer(out, trace))
			again := sim.Run(p, nil)
			if r.Digest != again.Digest {
				return fmt.Errorf("two runs of one plan differ: %016x and %016x", r.Digest, again.Digest)
			}
			fmt.Fprintf(out, "seed %d (%s): %d events, %d failovers, digest %016x\n", r.Seed, r.Mode, r.Events, r.Failovers, r.Digest)
			if r.LeftOut {
				fmt.Fprintln(out, "broken off: what comes now is not covered by the design")
			}
			if r.Failure != nil {
				fmt.Fprintf(out, "%s at %.3fs: %s\n", r.Failure.Invariant, seconds(r.Failure.At), r.Failure.Text)
				return errFound
			}
			return nil
		},
	}
	from.flags(c)
	c.Flags().BoolVar(&trace, "trace", false, "print every event and action")
	return c
}

func tracer(w io.Writer, wanted bool) func(string) {
	if !wanted {
		return nil
	}
	return func(text string) { fmt.Fprintln(w, text) }
}

func shrinkCommand() *cobra.Command {
	var (
		from source
		to   string
	)
	c := &cobra.Command{
		Use:     "shrink",
		Short:   "Find the few faults of a failing run that matter",
		Example: "  electsim shrink --seed 42 --to plan.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := from.plan()
			if err != nil {
				return err
			}
			small, runs := sim.Shrink(p)
			r := sim.Run(small, nil)
			if r.Failure == nil {
				return fmt.Errorf("the run does not fail")
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%d of %d faults, after %d runs; %s: %s\n", len(small.Faults), len(p.Faults), runs, r.Failure.Invariant, r.Failure.Text)
			for _, f := range small.Faults {
				fmt.Fprintf(out, "  %+v\n", f)
			}
			if to == "" {
				return nil
			}
			text, err := json.MarshalIndent(small, "", "  ")
			if err != nil {
				return err
			}
			return os.WriteFile(to, append(text, '\n'), 0o644)
		},
	}
	from.flags(c)
	c.Flags().StringVar(&to, "to", "", "file for the plan that is left")
	return c
}
