package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Diagnostics are the errors and warnings found in a configuration, in the
// order of the file. The zero value has none.
type Diagnostics struct {
	list  hcl.Diagnostics
	files map[string]*hcl.File // for source lines; secrets are blanked
}

// Problem is one diagnostic as data. File is empty and Line and Column are 0
// where it is about no place in a file; they count from 1.
type Problem struct {
	Severity string `json:"severity"` // "error" or "warning"
	Summary  string `json:"summary"`
	Detail   string `json:"detail,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// HasErrors tells whether the configuration must not be used.
func (d Diagnostics) HasErrors() bool { return d.list.HasErrors() }

// Len returns the number of errors and warnings.
func (d Diagnostics) Len() int { return len(d.list) }

// Err returns an *Error with the diagnostics, or nil if there are at most
// warnings.
func (d Diagnostics) Err() error {
	if !d.HasErrors() {
		return nil
	}
	return &Error{d}
}

// Error is a configuration that must not be used, as an error. Whoever shows it
// to a person shows its Diagnostics, with the lines they are about.
type Error struct{ Diagnostics Diagnostics }

// Error returns the errors, one a line.
func (e *Error) Error() string {
	var lines []string
	for _, p := range e.Diagnostics.Problems() {
		if p.Severity == "error" {
			lines = append(lines, p.String())
		}
	}
	return strings.Join(lines, "\n")
}

// Append returns the diagnostics of both; other is the later one, and knows
// more of what is secret.
func (d Diagnostics) Append(other Diagnostics) Diagnostics {
	files := other.files
	if files == nil {
		files = d.files
	}
	return Diagnostics{list: sorted(slices.Concat(d.list, other.list)), files: files}
}

// Write prints every diagnostic with its place, the source line and what to do.
// Width 0 does not wrap; color is for terminals.
func (d Diagnostics) Write(w io.Writer, width uint, color bool) error {
	out := hcl.NewDiagnosticTextWriter(w, d.files, width, color)
	for _, diag := range d.list {
		placed := *diag
		if s := diag.Subject; s != nil {
			placed.Summary = fmt.Sprintf("%s:%d:%d: %s", s.Filename, s.Start.Line, s.Start.Column, diag.Summary)
		}
		if err := out.WriteDiagnostic(&placed); err != nil {
			return err
		}
	}
	return nil
}

// Problems returns the diagnostics as data.
func (d Diagnostics) Problems() []Problem {
	problems := make([]Problem, 0, len(d.list))
	for _, diag := range d.list {
		p := Problem{Severity: "error", Summary: diag.Summary, Detail: diag.Detail}
		if diag.Severity == hcl.DiagWarning {
			p.Severity = "warning"
		}
		if s := diag.Subject; s != nil {
			p.File, p.Line, p.Column = s.Filename, s.Start.Line, s.Start.Column
		}
		problems = append(problems, p)
	}
	return problems
}

// String returns the problem in one line, for logs.
func (p Problem) String() string {
	text := p.Summary
	if p.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Summary)
	}
	if p.Detail != "" {
		text += ": " + strings.Join(strings.Fields(p.Detail), " ")
	}
	return text
}

// sorted orders diagnostics by place, those without a place last.
func sorted(list hcl.Diagnostics) hcl.Diagnostics {
	slices.SortStableFunc(list, func(a, b *hcl.Diagnostic) int {
		return position(a) - position(b)
	})
	return list
}

func position(d *hcl.Diagnostic) int {
	if d.Subject == nil {
		return 1 << 40
	}
	return d.Subject.Start.Byte
}
