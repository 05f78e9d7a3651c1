package arbitertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// check is one thing to find out.
type check struct {
	name  string
	why   string
	needs []string // without these it proves nothing more
	run   func(*exam)
}

// Check examines the arbiter and joins every fault found; nil if there is none.
// Skips are no faults: see Examine.
func Check(ctx context.Context, h Harness) error { return Examine(ctx, h).Err() }

// Examine makes every check and returns the report. Once ctx ends, what is left
// is skipped.
func Examine(ctx context.Context, h Harness) Report {
	h = h.withDefaults()
	var report Report
	if err := h.misnamed(); err != nil {
		report.Results = append(report.Results, Result{
			Name: "harness", Why: "A harness that skips what does not exist skips something else than it means.",
			Status: Failed, Problems: []string{err.Error()},
		})
	}
	for _, c := range checks {
		result := c.examine(ctx, h, report)
		report.Results = append(report.Results, result)
		if h.OnResult != nil {
			h.OnResult(result)
		}
	}
	return report
}

// Run examines the arbiter in subtests named after the checks. Skipped checks are
// skipped subtests that print their reason.
func Run(t *testing.T, h Harness) {
	t.Helper()
	h = h.withDefaults()
	if err := h.misnamed(); err != nil {
		t.Fatal(err)
	}
	var report Report
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			result := c.examine(t.Context(), h, report)
			report.Results = append(report.Results, result)
			if h.OnResult != nil {
				h.OnResult(result)
			}
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

// examine makes the check, unless something in earlier forbids it.
func (c check) examine(ctx context.Context, h Harness, earlier Report) (result Result) {
	result = Result{Name: c.name, Why: c.why, Status: Skipped}
	if reason, skip := h.Skip[c.name]; skip {
		result.Reason = reason
		return result
	}
	if err := ctx.Err(); err != nil {
		result.Reason = err.Error()
		return result
	}
	if result.blocker = earlier.blocker(c.needs); result.blocker != "" {
		result.Reason = "says nothing while " + result.blocker + " fails"
		return result
	}
	x := &exam{ctx: ctx, h: h, check: c.name}
	start := time.Now()
	x.perform(c.run)
	result.Took = time.Since(start)
	result.Status, result.Reason, result.Problems = x.status, x.reason, x.told()
	if len(result.Problems) > 0 {
		result.Status = Failed
	}
	return result
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
