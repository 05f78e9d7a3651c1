package mutants

import "time"

// Finding is what the hunt for one mutant came to.
type Finding struct {
	KilledBy string `json:"killed_by,omitempty"` // the invariant; empty if the mutant lived
	Text     string `json:"text,omitempty"`      // what was seen
	Grid     string `json:"grid,omitempty"`      // where it was killed, if by the explorer
	Scenario string `json:"scenario,omitempty"`  // if by a scenario
	Seed     uint64 `json:"seed,omitempty"`      // if by the simulator

	States    int        `json:"states"`              // explored on the way
	Stories   int        `json:"stories,omitempty"`   // told on the way, each variant of a scenario
	Seeds     uint64     `json:"seeds,omitempty"`     // simulated on the way
	Failovers int        `json:"failovers,omitempty"` // in them
	Searched  []Searched `json:"searched,omitempty"`

	Took time.Duration `json:"-"` // the hunt, its build apart
}

// Searched is how far one grid was explored.
type Searched struct {
	Grid     string `json:"grid"`
	States   int    `json:"states"`
	Depth    int    `json:"depth"`
	Complete bool   `json:"complete"`
}

// Verdict is what a finding means for its mutant.
type Verdict string

// The verdicts. Survives and Harmful fail a run.
const (
	Killed   Verdict = "killed"
	Harmless Verdict = "equivalent"
	Survives Verdict = "SURVIVES"       // it should have been killed
	Harmful  Verdict = "NOT EQUIVALENT" // it should have done no harm
)

// Judge says what a finding means.
func (m *Mutant) Judge(f *Finding) Verdict {
	killed := f.KilledBy != ""
	switch {
	case m.Equivalent == "" && killed:
		return Killed
	case m.Equivalent == "":
		return Survives
	case killed:
		return Harmful
	}
	return Harmless
}
