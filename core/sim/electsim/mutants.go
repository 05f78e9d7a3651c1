package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core/sim/mutants"
)

// hunted is a mutant with what the hunt for it came to.
type hunted struct {
	mutants.Mutant
	finding mutants.Finding
	err     error
}

func mutantsCommand() *cobra.Command {
	var (
		hunter  mutants.Hunter
		budget  time.Duration
		workers int
		only    string
		write   string
		asJSON  bool
	)
	c := &cobra.Command{
		Use:     "mutants",
		Short:   "Break the protocol's rules one by one; every search must notice",
		Example: "  electsim mutants --json --budget 2m",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pattern, err := regexp.Compile(only)
			if err != nil {
				return fmt.Errorf("--only: %w", err)
			}
			if hunter.Root, err = moduleRoot(); err != nil {
				return err
			}
			var chosen []hunted
			for _, m := range mutants.All() {
				if pattern.MatchString(m.Name) {
					chosen = append(chosen, hunted{Mutant: m})
				}
			}
			p := &purse{most: hunter.Budget, left: hunter.Budget * time.Duration(len(chosen)), hunts: len(chosen)}
			if budget > 0 {
				p.left = budget * time.Duration(max(1, workers))
			}
			hunt(cmd.Context(), hunter, p, workers, chosen, func(h *hunted) { reportMutant(cmd.OutOrStdout(), h, asJSON) })
			if write != "" {
				if err := writeTable(write, chosen); err != nil {
					return err
				}
			}
			return verdictOfAll(chosen)
		},
	}
	f := c.Flags()
	f.DurationVar(&budget, "budget", 0, "how long to hunt for all of them together, builds apart; what one leaves is for those after it")
	f.DurationVar(&hunter.Budget, "each", 2*time.Minute, "how long to hunt for one at most")
	f.IntVar(&hunter.States, "states", 200_000, "states of a grid at most")
	f.Uint64Var(&hunter.Seeds, "seeds", 20_000, "seeds of the simulator at most")
	f.IntVar(&hunter.HarmlessStates, "harmless-states", 25_000, "the same for those that are expected to do no harm")
	f.Uint64Var(&hunter.HarmlessSeeds, "harmless-seeds", 3_000, "the same for those that are expected to do no harm")
	f.IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "mutants at a time")
	f.StringVar(&only, "only", "", "names of mutants, as a regular expression")
	f.StringVar(&write, "write", "", "file whose kill table is to be replaced")
	f.BoolVar(&asJSON, "json", false, "report as JSON lines")
	return c
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if filepath.Base(file) != "go.mod" {
		return "", fmt.Errorf("mutants are built from source: run this inside the module")
	}
	return filepath.Dir(file), nil
}

// hunt hunts all, some at a time, and reports each in the order in which they end.
func hunt(ctx context.Context, hunter mutants.Hunter, p *purse, workers int, all []hunted, report func(*hunted)) {
	var (
		queue = make(chan *hunted)
		group sync.WaitGroup
		lock  sync.Mutex
	)
	for range max(1, workers) {
		group.Go(func() {
			for h := range queue {
				one := hunter
				one.Budget = p.share()
				h.finding, h.err = one.Hunt(ctx, &h.Mutant)
				p.giveBack(one.Budget - h.finding.Took)
				lock.Lock()
				report(h)
				lock.Unlock()
			}
		})
	}
	for i := range all {
		queue <- &all[i]
	}
	close(queue)
	group.Wait()
}

// purse is the time for all hunts.
type purse struct {
	lock  sync.Mutex
	most  time.Duration // for one of them
	left  time.Duration
	hunts int // to come
}

// share takes what one hunt may use. Most mutants fall at once, so that is several even
// parts of what is left.
func (p *purse) share() time.Duration {
	p.lock.Lock()
	defer p.lock.Unlock()
	part := min(p.most, p.left, 8*p.left/time.Duration(max(1, p.hunts)))
	part = max(0, part)
	p.left -= part
	p.hunts--
	return part
}

func (p *purse) giveBack(unused time.Duration) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.left += unused
}

func reportMutant(w io.Writer, h *hunted, asJSON bool) {
	f := &h.finding
	verdict := h.Judge(f)
	switch {
	case h.err != nil && asJSON:
		line(w, map[string]any{"mutant": h.Name, "error": h.err.Error()})
	case h.err != nil:
		fmt.Fprintf(w, "%-40s %v\n", h.Name, h.err)
	case asJSON:
		m := map[string]any{"mutant": h.Name, "verdict": verdict, "killed_by": f.KilledBy, "grid": f.Where(), "states": f.States, "seeds": f.Seeds, "stories": f.Stories}
		if f.KilledBy != "" {
			m["text"] = f.Text
		} else {
			m["searched"] = f.Searched
			m["failovers"] = f.Failovers
		}
		line(w, m)
	default:
		fmt.Fprintf(w, "%-40s %-14s %s %s\n", h.Name, verdict, f.KilledBy, f.Where())
	}
}

// verdictOfAll fails if a mutant was not what it should be.
func verdictOfAll(all []hunted) error {
	wrong := 0
	for i := range all {
		v := all[i].Judge(&all[i].finding)
		if all[i].err != nil || v == mutants.Survives || v == mutants.Harmful {
			wrong++
		}
	}
	if wrong == 0 {
		return nil
	}
	fmt.Fprintf(os.Stderr, "electsim: %d of %d mutants are not what they should be\n", wrong, len(all))
	return errFound
}

// writeTable replaces the kill table in a file of documentation.
func writeTable(path string, all []hunted) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var rows []mutants.Row
	for i := range all {
		if all[i].err != nil {
			return fmt.Errorf("no table is written: %w", all[i].err)
		}
		rows = append(rows, mutants.Row{Mutant: all[i].Mutant, Finding: all[i].finding})
	}
	next, err := mutants.ReplaceTable(string(text), rows)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(next), 0o644)
}
