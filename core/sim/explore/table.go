package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Row is one line of the table of grids.
type Row struct {
	Grid
	Report
}

// The table stands between these two lines of a document.
const (
	tableBegins = "<!-- grids: written by electsim explore --write -->"
	tableEnds   = "<!-- end of grids -->"
)

// ReplaceTable returns the document with the rows of its table of grids replaced.
// Rows of grids that were not searched this time stay, as long as there are such
// grids.
func ReplaceTable(document string, rows []Row) (string, error) {
	before, rest, ok := strings.Cut(document, tableBegins)
	old, after, end := strings.Cut(rest, tableEnds)
	if !ok || !end {
		return "", fmt.Errorf("has no table of grids: it stands between the lines %q and %q", tableBegins, tableEnds)
	}
	return before + tableBegins + "\n" + table(rows, lines(old)) + tableEnds + after, nil
}

// lines returns the rows of a table as they stand, by the names of their grids.
func lines(table string) map[string]string {
	known := map[string]string{}
	for line := range strings.Lines(table) {
		if columns := strings.Split(line, " | "); len(columns) > 1 {
			known[strings.TrimPrefix(columns[0], "| ")] = line
		}
	}
	return known
}

// table returns the table of grids in Markdown: what is new, and what was known
// of other grids.
func table(rows []Row, known map[string]string) string {
	var order []string
	for _, g := range Grids() {
		order = append(order, g.Name)
	}
	for i := range rows {
		known[rows[i].Name] = rows[i].line()
		if !slices.Contains(order, rows[i].Name) {
			order = append(order, rows[i].Name)
		}
	}
	var b strings.Builder
	b.WriteString("\n| grid | looks for | in one trace at most | states | every trace up to | complete |\n|---|---|---|---|---|---|\n")
	for _, name := range order {
		b.WriteString(known[name])
	}
	b.WriteString("\n")
	return b.String()
}

func (row *Row) line() string {
	g, r := &row.Grid, &row.Report
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s |\n", g.Name, g.About, g.Terms(), r.States, r.length(), r.verdict())
}

// length says how long the traces are that were all tried.
func (r *Report) length() string {
	if r.Complete {
		return "any length"
	}
	return fmt.Sprintf("%d events", r.Depth)
}

func (r *Report) verdict() string {
	switch {
	case r.Failure != nil:
		return "**" + r.Failure.Invariant + " fails**"
	case r.Complete:
		return fmt.Sprintf("yes, the farthest state after %d events", r.Depth)
	}
	return "no"
}

// Terms says in words what bounds a trace.
func (g *Grid) Terms() string {
	b := &g.Budget
	terms := []string{fmt.Sprintf("leases of %d and %d ticks", g.HeartbeatLease, g.ArbiterLease)}
	if g.Epochs > 0 {
		terms = append(terms, fmt.Sprintf("epochs %d", g.Epochs))
	}
	if restarts := b.Restarts[:g.Nodes]; restarts[0] > 0 || restarts[1] > 0 {
		terms = append(terms, "restarts "+strings.Trim(strings.ReplaceAll(fmt.Sprint(restarts), " ", " and "), "[]"))
	}
	for _, t := range []struct {
		often int8
		what  string
	}{
		{b.Process, "dead processes"}, {b.LostDisks, "lost disks"}, {b.Late, "late timers"},
		{b.Duplicate, "repeated messages"}, {b.Unknown, "unknown writes"}, {b.Failed, "failed requests"},
		{b.Conflicts, "false conflicts"}, {b.Split, "slow answers"}, {b.Torn, "torn reads"}, {b.Stale, "stale reads"},
		{b.Deleted, "deletions"}, {b.StepDowns, "step-downs"}, {b.Sick, "failed checks"}, {b.Admitted, "forced admissions"},
	} {
		if t.often > 0 {
			terms = append(terms, fmt.Sprintf("%s %d", t.what, t.often))
		}
	}
	return strings.Join(terms, ", ")
}
