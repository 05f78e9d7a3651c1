package arbitertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Status is what became of one check.
type Status string

// The statuses.
const (
	Passed        Status = "passed"
	Failed        Status = "failed"
	Skipped       Status = "skipped"        // could not be made, or was not to be
	NotApplicable Status = "not applicable" // of an optional capability that the arbiter does not offer
)

// Result is what one check found.
type Result struct {
	Name     string        // in kebab-case: "stale-swap"
	Why      string        // one sentence: what the election needs it for
	Status   Status        //
	Problems []string      // what was observed, if it failed
	Reason   string        // why it was skipped or does not apply
	Took     time.Duration //

	blocker string // the failed check that keeps this one from saying anything
}

// Err returns the result's failure, nil unless it failed.
func (r Result) Err() error {
	if r.Status != Failed {
		return nil
	}
	return fmt.Errorf("%s: %s (%s)", r.Name, strings.Join(r.Problems, "; "), r.Why)
}

// MarshalJSON gives name, why, status, problems, reason and took_ms.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string   `json:"name"`
		Why      string   `json:"why"`
		Status   Status   `json:"status"`
		Problems []string `json:"problems,omitempty"`
		Reason   string   `json:"reason,omitempty"`
		TookMS   int64    `json:"took_ms"`
	}{r.Name, r.Why, r.Status, r.Problems, r.Reason, r.Took.Milliseconds()})
}

// Report is what a whole run found, in the order of the checks.
type Report struct{ Results []Result }

// Err joins the failures; nil if there are none.
func (r Report) Err() error {
	var errs []error
	for _, result := range r.Results {
		errs = append(errs, result.Err())
	}
	return errors.Join(errs...)
}

// Count returns how many results have the status.
func (r Report) Count(s Status) int {
	n := 0
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// Certified reports whether every check was made and passed.
func (r Report) Certified() bool {
	return r.Count(Passed) > 0 && r.Count(Failed) == 0 && r.Count(Skipped) == 0
}

// MarshalJSON gives certified, the counts and the checks.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Certified bool     `json:"certified"`
		Passed    int      `json:"passed"`
		Failed    int      `json:"failed"`
		Skipped   int      `json:"skipped"`
		Checks    []Result `json:"checks"`
	}{r.Certified(), r.Count(Passed), r.Count(Failed), r.Count(Skipped), r.Results})
}

// WriteText writes the report for people: a line a check, what failed in full,
// and a line of counts.
func (r Report) WriteText(w io.Writer) error {
	var text strings.Builder
	for _, result := range r.Results {
		result.writeText(&text)
	}
	verdict := "not certified"
	if r.Certified() {
		verdict = "certified"
	}
	fmt.Fprintf(&text, "%d passed, %d failed, %d skipped: %s\n",
		r.Count(Passed), r.Count(Failed), r.Count(Skipped), verdict)
	_, err := io.WriteString(w, text.String())
	return err
}

// writeText appends the result's lines.
func (r Result) writeText(text *strings.Builder) {
	mark := map[Status]string{Passed: "ok", Failed: "FAIL", Skipped: "skip", NotApplicable: "n/a"}[r.Status]
	fmt.Fprintf(text, "%-5s %-20s %6.2fs", mark, r.Name, r.Took.Seconds())
	if r.Reason != "" {
		fmt.Fprintf(text, "  %s", r.Reason)
	}
	text.WriteByte('\n')
	if r.Status != Failed {
		return
	}
	fmt.Fprintf(text, "      why: %s\n", r.Why)
	for _, problem := range r.Problems {
		fmt.Fprintf(text, "      - %s\n", problem)
	}
}
