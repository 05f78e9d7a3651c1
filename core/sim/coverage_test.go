package sim

import (
	"os"
	"strings"
	"testing"
)

// TestTheDocsNameEveryCounter checks that docs/proof.md says what each one counts.
func TestTheDocsNameEveryCounter(t *testing.T) {
	text, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| counter | counts |")
	table, _, _ := strings.Cut(rest, "\n\n")
	for c := range counters {
		if !strings.Contains(table, "`"+c.String()+"`") {
			t.Errorf("docs/proof.md does not say what %s counts", c)
		}
	}
	if named := strings.Count(table, "`") / 2; named != int(counters) {
		t.Errorf("docs/proof.md names %d counters, of %d", named, counters)
	}
}
