// Command hunt sets the searches of core/sim upon the core it was built with,
// and says what they found. It is built anew for every mutant.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/sim"
	"github.com/electd/electd/core/sim/explore"
	"github.com/electd/electd/core/sim/mutants"
)

func main() {
	var (
		story   = flag.String("scenario", "", "scenario to begin with")
		seed    = flag.Uint64("seed", 0, "seed to simulate next")
		grids   = flag.String("grids", "", "grids to explore next, before all scenarios and the simulation")
		rest    = flag.String("rest", "", "grids to explore after them")
		states  = flag.Int("states", 1_000_000, "states a grid at most")
		seeds   = flag.Uint64("seeds", 0, "seeds to simulate")
		without = flag.String("without", "", "kinds of faults to leave out of the simulation")
		budget  = flag.Duration("budget", time.Minute, "how long to hunt")
	)
	flag.Parse()
	end := time.Now().Add(*budget)
	var found mutants.Finding
	off := kinds(*without)
	for _, s := range mutants.Scenarios() {
		if s.Name == *story {
			told(&found, &s)
		}
	}
	if *seed != 0 {
		simulated(&found, *seed, 1, off, end)
	}
	for _, name := range split(*grids) {
		g := grid(name)
		g.States = max(g.States, *states) // it is known to find this one
		explored(&found, g, end)
	}
	for _, s := range mutants.Scenarios() {
		if s.Name != *story && !s.Has(off) {
			told(&found, &s)
		}
	}
	if *seeds > 0 {
		simulated(&found, 1, *seeds, off, end)
	}
	for _, name := range split(*rest) {
		g := grid(name)
		g.States = *states
		explored(&found, g, end)
	}
	if err := json.NewEncoder(os.Stdout).Encode(&found); err != nil {
		fmt.Fprintln(os.Stderr, "hunt:", err)
		os.Exit(1)
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func grid(name string) explore.Grid {
	all := explore.Grids()
	i := slices.IndexFunc(all, func(g explore.Grid) bool { return g.Name == name })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "hunt: no grid %q\n", name)
		os.Exit(2)
	}
	return all[i]
}

func explored(f *mutants.Finding, g explore.Grid, end time.Time) {
	if f.KilledBy != "" || time.Now().After(end) {
		return
	}
	defer func() {
		// What the core panics with while a trace is replayed counts as well.
		switch p := recover().(type) {
		case nil:
		case *core.Violation:
			f.KilledBy, f.Text, f.Grid = p.Name, p.Text, g.Name
		default:
			panic(p)
		}
	}()
	r := explore.Explore(g, func() bool { return time.Now().After(end) })
	f.States += r.States
	f.Searched = append(f.Searched, mutants.Searched{Grid: g.Name, States: r.States, Depth: r.Depth, Complete: r.Complete})
	if r.Failure != nil {
		f.KilledBy, f.Text, f.Grid = r.Failure.Invariant, r.Failure.Text, g.Name
	}
}

func kinds(list string) []sim.FaultKind {
	var all []sim.FaultKind
	for _, kind := range split(list) {
		all = append(all, sim.FaultKind(kind))
	}
	return all
}

// told runs one scenario.
func told(f *mutants.Finding, s *mutants.Scenario) {
	if f.KilledBy != "" {
		return
	}
	for _, p := range s.Plans {
		r := sim.Run(p, nil)
		f.Stories, f.Failovers = f.Stories+1, f.Failovers+r.Failovers
		if r.Failure != nil {
			f.KilledBy, f.Text, f.Scenario = r.Failure.Invariant, r.Failure.Text, s.Name
			return
		}
	}
}

// simulated runs seed after seed until one fails.
func simulated(f *mutants.Finding, first, seeds uint64, without []sim.FaultKind, end time.Time) {
	left := time.Until(end)
	if f.KilledBy != "" || left <= 0 {
		return
	}
	s := sim.Swarm{First: first, Seeds: seeds, Budget: left, Workers: 1, Until: 1, Without: without}
	sum := s.Run()
	f.Seeds, f.Failovers = f.Seeds+sum.Runs, f.Failovers+sum.Failovers
	if len(sum.Failures) > 0 {
		r := &sum.Failures[0]
		f.KilledBy, f.Text, f.Seed = r.Failure.Invariant, r.Failure.Text, r.Seed
	}
}
