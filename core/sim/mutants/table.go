package mutants

import (
	"fmt"
	"strings"
)

// Row is one line of the kill table.
type Row struct {
	Mutant
	Finding
}

// The table stands between these two lines of a document.
const (
	tableBegins = "<!-- kill table: written by electsim mutants --write -->"
	tableEnds   = "<!-- end of kill table -->"
)

// Where names the search that killed, with what it takes to see it again.
func (f *Finding) Where() string {
	switch {
	case f.KilledBy == "":
		return ""
	case f.Grid != "":
		return "grid " + f.Grid
	case f.Scenario != "":
		return "scenario " + f.Scenario
	case f.Seed != 0:
		return fmt.Sprintf("seed %d", f.Seed)
	}
	return "the search itself"
}

// ReplaceTable returns the document with its kill table replaced.
func ReplaceTable(document string, rows []Row) (string, error) {
	before, rest, ok := strings.Cut(document, tableBegins)
	_, after, end := strings.Cut(rest, tableEnds)
	if !ok || !end {
		return "", fmt.Errorf("has no kill table: it stands between the lines %q and %q", tableBegins, tableEnds)
	}
	return before + tableBegins + "\n" + Table(rows) + tableEnds + after, nil
}

// Table returns the kill table in Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n| mutant | rule | what it does instead | verdict | by |\n|---|---|---|---|---|\n")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Name, r.Rule, r.Breaks, r.Judge(&r.Finding), r.by())
	}
	b.WriteString("\n")
	return b.String()
}

// by says what killed, or how far the search went that did not.
func (r *Row) by() string {
	if r.KilledBy != "" {
		return fmt.Sprintf("%s in %s, after %s", r.KilledBy, r.Where(), r.Finding.extent())
	}
	if r.Equivalent != "" {
		return r.Equivalent + "; searched: " + r.Finding.extent()
	}
	return "searched: " + r.Finding.extent()
}

// extent says how much was searched.
func (f *Finding) extent() string {
	var parts []string
	if f.States > 0 {
		parts = append(parts, counted(f.States, "state", "states"))
	}
	if f.Stories > 0 {
		parts = append(parts, counted(f.Stories, "story", "stories"))
	}
	if f.Seeds > 0 {
		parts = append(parts, counted(int(f.Seeds), "seed", "seeds"))
	}
	if f.KilledBy == "" {
		complete := 0
		for _, s := range f.Searched {
			if s.Complete {
				complete++
			}
		}
		parts = append(parts, fmt.Sprintf("%d grids, %d of them complete", len(f.Searched), complete))
	}
	return strings.Join(parts, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
