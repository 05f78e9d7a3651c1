package mutants

import (
	"path/filepath"
	"testing"
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
