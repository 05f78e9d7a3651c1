package arbitertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// check is one thing to find out.
type check struct {
	name  string
	why   string
	needs []string // where one of these fails, this proves nothing more
	alone bool     // nothing else may go on meanwhile
	run   func(*exam)
}

// Check examines the arbiter and joins every fault found; nil if there is none.
// Skips are no faults: see Examine.
func Check(ctx context.Context, h Harness) error { return Examine(ctx, h).Err() }

// Examine makes every check, several at once, and returns the report. Once ctx
// ends, what is left is skipped.
func Examine(ctx context.Context, h Harness) Report {
	h = h.withDefaults()
	var report Report
	if err := h.misnamed(); err != nil {
		report.Results = append(report.Results, Result{
			Name: "harness", Why: "A harness that skips what does not exist skips something else than it means.",
			Status: Failed, Problems: []string{err.Error()},
		})
	}
	run := begin(ctx, h)
	for i := range checks {
		run.finish(i, &report)
	}
	return report
}

// Run examines the arbiter in subtests named after the checks, several of which
// are made at once; each subtest waits for its own. Skipped checks are skipped
// subtests that print their reason.
func Run(t *testing.T, h Harness) {
	t.Helper()
	h = h.withDefaults()
	if err := h.misnamed(); err != nil {
		t.Fatal(err)
	}
	var report Report
	run := begin(t.Context(), h)
	for i, c := range checks {
		result := run.finish(i, &report)
		t.Run(c.name, func(t *testing.T) {
			t.Logf("took %v", result.Took)
			switch result.Status {
			case Failed:
				t.Errorf("%s\n  - %s", result.Why, strings.Join(result.Problems, "\n  - "))
			case Skipped:
				t.Skipf("SKIPPED: %s", result.Reason)
			case NotApplicable:
				t.Logf("not applicable: %s", result.Reason)
			}
		})
	}
}

// Names returns the names of all checks, in order.
func Names() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}

// misnamed returns an error if Skip names a check that does not exist.
func (h Harness) misnamed() error {
	known := map[string]bool{}
	for _, name := range Names() {
		known[name] = true
	}
	for name := range h.Skip {
		if !known[name] {
			return fmt.Errorf("the harness skips %q, which is no check; there are %s", name, strings.Join(Names(), ", "))
		}
	}
	return nil
}

// blocker returns the first check that failed among those named and those that
// they need themselves, or "".
func (r Report) blocker(names []string) string {
	for _, name := range names {
		for _, result := range r.Results {
			switch {
			case result.Name != name:
			case result.Status == Failed:
				return name
			case result.blocker != "":
				return result.blocker
			}
		}
	}
	return ""
}
