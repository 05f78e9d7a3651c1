package mutants

import (
	"fmt"
	"strings"
)

// Mutant is one rule of the protocol, broken.
type Mutant struct {
	Name    string
	Rule    string // the section of the design that has the rule
	Breaks  string // what the broken core does instead
	Patches []Patch

	// What kills it fastest: a scenario, a seed of the simulator or a grid of
	// core/sim/explore; the simulator's first seeds if none is given. What is known
	// of a seed or a grid may be overtaken by a change; then all others follow.
	Scenario string
	Seed     uint64
	Grid     string

	// Equivalent says why the mutant does no harm; empty if it is to be killed.
	// Such a mutant has to live through the whole search.
	Equivalent string
	Without    []string // grids and kinds of faults that its harmlessness leaves out
}

// Patch is one change to a file of core. The old text must occur in it exactly
// once, so that a rule which was rewritten is not broken in vain.
type Patch struct {
	File string // in core/
	Old  string
	New  string
}

// apply returns the text with the patch made.
func (p Patch) apply(text string) (string, error) {
	if n := strings.Count(text, p.Old); n != 1 {
		return "", fmt.Errorf("core/%s: the text to be replaced occurs %d times, not once; adapt the mutant to the rule as it now stands:\n%s", p.File, n, p.Old)
	}
	return strings.Replace(text, p.Old, p.New, 1), nil
}

// All returns every mutant, in the order of the design.
func All() []Mutant {
	var all []Mutant
	for _, list := range [][]Mutant{ofAuthority(), ofElectors(), ofChallenges(), ofWrites(), ofPhases(), ofEquivalents()} {
		all = append(all, list...)
	}
	return all
}
