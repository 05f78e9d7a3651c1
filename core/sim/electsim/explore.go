package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core/sim/explore"
)

// search says what to explore, and how far.
type search struct {
	grids   []string
	states  int
	depth   int
	budget  time.Duration
	long    bool
	workers int
	write   string
	asJSON  bool
}

func exploreCommand() *cobra.Command {
	var s search
	c := &cobra.Command{
		Use:     "explore",
		Short:   "Search small elections exhaustively",
		Example: "  electsim explore --states 400000 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			grids, err := s.chosen()
			if err != nil {
				return err
			}
			failed, err := s.run(cmd.OutOrStdout(), grids)
			if err == nil && failed {
				return errFound
			}
			return err
		},
	}
	f := c.Flags()
	f.StringSliceVar(&s.grids, "grid", nil, "grids to search (default all)")
	f.IntVar(&s.states, "states", 0, "states to search of each grid (default: each grid's own bound)")
	f.BoolVar(&s.long, "long", false, "search each grid up to the bound of the long run")
	f.IntVar(&s.depth, "depth", 0, "longest trace (default: the grid's own bound)")
	f.DurationVar(&s.budget, "budget", 0, "how long to search in all")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "grids at a time")
	f.StringVar(&s.write, "write", "", "file whose table of grids is to be brought up to date")
	f.BoolVar(&s.asJSON, "json", false, "report as JSON lines")
	return c
}

// chosen returns the grids to search.
func (s *search) chosen() ([]explore.Grid, error) {
	all := explore.Grids()
	if len(s.grids) == 0 {
		return all, nil
	}
	var chosen []explore.Grid
	for _, name := range s.grids {
		found := false
		for _, g := range all {
			if g.Name == name {
				chosen, found = append(chosen, g), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no grid %q", name)
		}
	}
	return chosen, nil
}

// run searches the grids and reports each when it is done, in the end the sum.
func (s *search) run(w io.Writer, grids []explore.Grid) (failed bool, err error) {
	var (
		lock   sync.Mutex
		group  sync.WaitGroup
		done   int
		states int
	)
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // what the searches hold is no garbage
	began := time.Now()
	stop := func() bool { return s.budget > 0 && time.Since(began) > s.budget }
	turns := make(chan explore.Grid)
	for range max(1, s.workers) {
		group.Go(func() {
			for g := range turns {
				r := explore.Explore(g, stop)
				lock.Lock()
				done, states = done+1, states+r.States
				failed = failed || r.Failure != nil
				s.report(w, &g, &r)
				if s.write != "" {
					err = errors.Join(err, writeGrid(s.write, explore.Row{Grid: g, Report: r}))
				}
				lock.Unlock()
			}
		})
	}
	for _, g := range grids {
		if stop() {
			break // what is not begun is not reported
		}
		turns <- s.bounded(g)
	}
	close(turns)
	group.Wait()
	if s.asJSON {
		line(w, map[string]any{"grids": done, "states": states, "seconds": time.Since(began).Seconds()})
	} else {
		fmt.Fprintf(w, "%d states of %d grids in %s\n", states, done, time.Since(began).Round(time.Second))
	}
	return failed, err
}

func (s *search) bounded(g explore.Grid) explore.Grid {
	if s.long {
		g.States = g.Long
	}
	if s.states > 0 {
		g.States = s.states
	}
	if s.depth > 0 {
		g.Depth = s.depth
	}
	return g
}

func (s *search) report(w io.Writer, g *explore.Grid, r *explore.Report) {
	if s.asJSON {
		found := map[string]any{
			"grid": r.Grid, "states": r.States, "depth": r.Depth, "complete": r.Complete, "seconds": r.Elapsed.Seconds(),
		}
		if r.Failure != nil {
			found["violation"], found["text"], found["trace"] = r.Failure.Invariant, r.Failure.Text, r.Trace
		}
		line(w, found)
		return
	}
	rest := "there is more beyond"
	if r.Complete {
		rest = "complete"
	}
	fmt.Fprintf(w, "%-16s %9d states, all traces of %d steps, %s, %s (%s)\n", r.Grid, r.States, r.Depth, rest, r.Elapsed.Round(time.Second), g.About)
	if r.Failure != nil {
		fmt.Fprintf(w, "%s: %s\n%s", r.Failure.Invariant, r.Failure.Text, r.Trace)
	}
}

// writeGrid replaces a row of the table of grids in a file of documentation.
func writeGrid(path string, row explore.Row) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next, err := explore.ReplaceTable(string(text), []explore.Row{row})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(next), 0o644)
}
