package file

import (
	"os"
	"testing"

	"github.com/electd/electd/core"
)

func TestProbeOfADirectory(t *testing.T) {
	a := open(t, t.TempDir())
	report, err := a.Probe(t.Context(), "probe")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Logf("%-8s %-26s %s %s", f.Verdict, f.Check, f.Observed, f.Advice)
		if f.Verdict > core.Warned || f.Verdict == core.Warned && f.Check != "file-system" {
			t.Errorf("%s is %v: %s", f.Check, f.Verdict, f.Observed)
		}
	}
	if report.Read.Count == 0 || report.Write.Count == 0 || report.Requests == 0 {
		t.Errorf("measured %+v", report)
	}
	left, err := os.ReadDir(a.dir)
	if err != nil || len(left) != 0 {
		t.Errorf("the probe left %v, %v", left, err)
	}
}
