package config

import (
	"bytes"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// setToText matches a line that sets a name to what is no expression, but would
// be right between quotes: an address, a path, a duration. One of the two quotes
// may be there.
var setToText = regexp.MustCompile(`^\s*([\w-]+)\s*=\s*("?)(\[[0-9a-fA-F]*:[^\s\]]*\](?::\d+)?|[^][\s"“”'` + "`" + `{}()<>,;=#]+)("?)\s*(?:#.*|//.*)?$`)

// aboutQuotes rewords what HCL says of text where a quote was forgotten: HCL says
// what it had expected, which in an address is a number or a function.
func aboutQuotes(text []byte, diag *hcl.Diagnostic) *hcl.Diagnostic {
	line, begin := lineOf(text, diag.Subject.Start.Byte)
	if set := setToText.FindSubmatchIndex(line); set != nil && diag.Subject.Start.Byte >= begin+set[4] {
		if missing := set[4] == set[5] || set[8] == set[9]; missing {
			name, value := string(line[set[2]:set[3]]), string(line[set[6]:set[7]])
			return withinLine(diag, line, begin, set[4], "Text without quotes", betweenQuotes(name, value))
		}
	}
	if diag.Summary == "Invalid multi-line string" {
		first := len(line) - len(bytes.TrimLeft(line, " \t"))
		return withinLine(diag, line, begin, first, "A quote is missing", `A text that begins in this line does not end in it. Each text stands between two quotes ("); a quote inside one is written \".`)
	}
	return diag
}

// betweenQuotes says how to write the text that a name is set to, unless the
// name is that of a secret.
func betweenQuotes(name, text string) string {
	if line := name + " = x"; secretLine.MatchString(line) && !notSecret.MatchString(line) {
		return unseen(name)
	}
	return fmt.Sprintf("Write %s = %q.", name, text)
}

// unseen says how to write a secret without showing it.
func unseen(name string) string {
	return fmt.Sprintf(`Put the value of %s between quotes (").`, name)
}

// lineOf returns the line of text that holds the byte at, and where it begins.
func lineOf(text []byte, at int) (line []byte, begin int) {
	at = min(at, len(text))
	begin = bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ = bytes.Cut(text[begin:], []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), begin
}

// withinLine returns a diagnostic in the place of diag, about a line from its
// byte from on.
func withinLine(diag *hcl.Diagnostic, line []byte, begin, from int, summary, detail string) *hcl.Diagnostic {
	where := *diag.Subject
	where.Start = hcl.Pos{Line: where.Start.Line, Column: utf8.RuneCount(line[:from]) + 1, Byte: begin + from}
	where.End = hcl.Pos{Line: where.Start.Line, Column: utf8.RuneCount(line) + 1, Byte: begin + len(line)}
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &where}
}
