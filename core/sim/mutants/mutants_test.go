package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/electd/electd/core/sim/explore"
)

// TestEveryMutantStillFits tells at once, without a hunt, which mutants a change
// of core has overtaken.
func TestEveryMutantStillFits(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range All() {
		if names[m.Name] {
			t.Errorf("two mutants are named %s", m.Name)
		}
		names[m.Name] = true
		if _, err := (Hunter{Root: root}).overlay(&m, t.TempDir()); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	if len(names) < 25 {
		t.Errorf("%d mutants, want at least 25", len(names))
	}
}

// TestKillersExist checks the names of what is said to kill the mutants: a wrong
// one would only cost time, unnoticed.
func TestKillersExist(t *testing.T) {
	for _, m := range All() {
		if m.Scenario != "" && !slices.ContainsFunc(Scenarios(), func(s Scenario) bool { return s.Name == m.Scenario }) {
			t.Errorf("%s names the scenario %s, which there is not", m.Name, m.Scenario)
		}
		if m.Grid != "" && !slices.ContainsFunc(explore.Grids(), func(g explore.Grid) bool { return g.Name == m.Grid }) {
			t.Errorf("%s names the grid %s, which there is not", m.Name, m.Grid)
		}
	}
}

// TestTheTableIsOfTheseMutants checks that docs/proof.md tells of every mutant, and
// of none that is not there any more. electsim mutants --write makes it anew.
func TestTheTableIsOfTheseMutants(t *testing.T) {
	text, err := os.ReadFile("../../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), tableBegins)
	table, _, ok := strings.Cut(rest, tableEnds)
	if !ok {
		t.Fatal("docs/proof.md has no kill table")
	}
	for _, m := range All() {
		verdict := Killed
		if m.Equivalent != "" {
			verdict = Harmless
		}
		if row := fmt.Sprintf("| %s | %s | %s | %s |", m.Name, m.Rule, m.Breaks, verdict); !strings.Contains(table, row) {
			t.Errorf("the table does not have the row %s", row)
		}
	}
	if rows := strings.Count(table, "\n| ") - 1; rows != len(All()) {
		t.Errorf("the table has %d rows, for %d mutants", rows, len(All()))
	}
}

func TestAPatchMustFitExactlyOnce(t *testing.T) {
	p := Patch{"x.go", "a", "b"}
	for text, fits := range map[string]bool{"a": true, "xay": true, "": false, "aa": false} {
		if _, err := p.apply(text); (err == nil) != fits {
			t.Errorf("apply to %q: %v, want fits %t", text, err, fits)
		}
	}
}

func TestVerdicts(t *testing.T) {
	wrong, harmless := &Mutant{}, &Mutant{Equivalent: "because"}
	dead, alive := &Finding{KilledBy: "I1"}, &Finding{}
	for _, c := range []struct {
		m    *Mutant
		f    *Finding
		want Verdict
	}{{wrong, dead, Killed}, {wrong, alive, Survives}, {harmless, dead, Harmful}, {harmless, alive, Harmless}} {
		if got := c.m.Judge(c.f); got != c.want {
			t.Errorf("%+v of %+v: %s, want %s", c.f, c.m, got, c.want)
		}
	}
}
