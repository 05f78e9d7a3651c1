package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/electd/electd/core/sim/explore"
)

// Hunter builds mutants and searches them.
type Hunter struct {
	Root   string        // of the module
	States int           // bound of each grid
	Seeds  uint64        // bound of the simulation
	Budget time.Duration // of one mutant, the build apart

	// The bounds for those that are expected to do no harm, and live through it all.
	HarmlessStates int
	HarmlessSeeds  uint64
}

// Hunt breaks the core as the mutant says and searches it.
func (h Hunter) Hunt(ctx context.Context, m *Mutant) (Finding, error) {
	dir, err := os.MkdirTemp("", "electsim-")
	if err != nil {
		return Finding{}, err
	}
	defer os.RemoveAll(dir)
	program, err := h.build(ctx, m, dir)
	if err != nil {
		return Finding{}, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	began := time.Now()
	f, err := h.search(ctx, m, program)
	f.Took = time.Since(began)
	if err != nil {
		return f, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	return f, nil
}

// build compiles the hunt over the broken core.
func (h Hunter) build(ctx context.Context, m *Mutant, dir string) (string, error) {
	overlay, err := h.overlay(m, dir)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "hunt")
	c := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags", "-s -w", "-o", program, "./core/sim/mutants/hunt")
	c.Dir = h.Root
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not build: %w\n%s", err, out)
	}
	return program, nil
}

// overlay writes the broken files beside the real ones' names.
func (h Hunter) overlay(m *Mutant, dir string) (string, error) {
	texts := map[string]string{}
	for _, p := range m.Patches {
		path := filepath.Join(h.Root, "core", p.File)
		text, seen := texts[path]
		if !seen {
			read, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			text = string(read)
		}
		broken, err := p.apply(text)
		if err != nil {
			return "", err
		}
		texts[path] = broken
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// search runs the hunt. A core that crashes or hangs is killed too.
func (h Hunter) search(ctx context.Context, m *Mutant, program string) (Finding, error) {
	// A simulation in which time stands still never looks at its budget.
	ctx, cancel := context.WithTimeout(ctx, 2*h.Budget+time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, program, h.flags(m)...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	err := c.Run()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return Finding{KilledBy: "hang", Text: "the search did not come to an end"}, nil
	case err != nil:
		var exit *exec.ExitError
		first, _, _ := strings.Cut(complaint.String(), "\n")
		if errors.As(err, &exit) && strings.HasPrefix(first, "panic:") {
			return Finding{KilledBy: "panic", Text: first}, nil
		}
		return Finding{}, fmt.Errorf("%w: %s", err, first)
	}
	var f Finding
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return Finding{}, fmt.Errorf("the hunt's answer %q: %w", out.String(), err)
	}
	return f, nil
}

// flags say where to look: first where the mutant is known to fall, then in every
// scenario, by the simulator, and everywhere else.
func (h Hunter) flags(m *Mutant) []string {
	states, seeds := h.States, h.Seeds
	if m.Equivalent != "" {
		states, seeds = h.HarmlessStates, h.HarmlessSeeds
	}
	var rest []string
	faults := slices.Clone(m.Without)
	for _, g := range explore.Grids() {
		if i := slices.Index(faults, g.Name); i >= 0 {
			faults = slices.Delete(faults, i, i+1)
		} else if g.Name != m.Grid {
			rest = append(rest, g.Name)
		}
	}
	return []string{
		"-scenario", m.Scenario, "-seed", strconv.FormatUint(m.Seed, 10), "-grids", m.Grid,
		"-rest", strings.Join(rest, ","), "-states", strconv.Itoa(states),
		"-seeds", strconv.FormatUint(seeds, 10), "-without", strings.Join(faults, ","),
		"-budget", h.Budget.String(),
	}
}
