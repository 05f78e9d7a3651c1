package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// seen is what the stories have shown, all together.
type seen struct {
	rules    map[rule]bool
	reasons  map[Reason]bool
	arrows   map[arrow]map[Reason]bool
	declared declared
}

// arrow is a change of phase.
type arrow struct{ from, to Phase }

func newSeen(tb testing.TB) *seen {
	return &seen{map[rule]bool{}, map[Reason]bool{}, map[arrow]map[Reason]bool{}, readDeclared(tb)}
}

func (s *seen) applied(p Phase, k EventKind) { s.rules[table[p][k]] = true }

func (s *seen) reason(r Reason) { s.reasons[r] = true }

func (s *seen) transition(a Action) {
	s.reason(a.Reason)
	at := arrow{a.From, a.To}
	if s.arrows[at] == nil {
		s.arrows[at] = map[Reason]bool{}
	}
	s.arrows[at][a.Reason] = true
}

// declared is what the sources of this package name.
type declared struct {
	rules   []string          // by their numbers
	reasons map[Reason]string // the constant's name
	docs    map[string]string // what each function of a turn says it does, on one line
}

// readDeclared reads table.go and reason.go, and every function's comment.
func readDeclared(tb testing.TB) declared {
	tb.Helper()
	d := declared{reasons: map[Reason]string{}, docs: map[string]string{}}
	files := token.NewFileSet()
	for _, name := range []string{
		"table.go", "reason.go", "read.go", "write.go", "floor.go", "holding.go", "fence.go", "standing.go",
		"elector.go", "round.go", "release.go", "roster.go", "greeting.go",
	} {
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			tb.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch x := decl.(type) {
			case *ast.FuncDecl:
				if x.Doc != nil && x.Recv != nil {
					d.docs[x.Name.Name] = strings.Join(strings.Fields(x.Doc.Text()), " ")
				}
			case *ast.GenDecl:
				if x.Tok == token.CONST {
					d.constants(tb, name, x)
				}
			}
		}
	}
	if len(d.rules) != int(rules) {
		tb.Fatalf("table.go names %d rules, there are %d", len(d.rules), rules)
	}
	return d
}

func (d *declared) constants(tb testing.TB, file string, x *ast.GenDecl) {
	for _, spec := range x.Specs {
		v := spec.(*ast.ValueSpec)
		name := v.Names[0].Name
		switch {
		case file == "table.go" && name != "rules":
			d.rules = append(d.rules, name)
		case file == "reason.go":
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				tb.Fatal(err)
			}
			d.reasons[Reason(text)] = name
		}
	}
}

// unsaid are the reasons that Step never gives.
var unsaid = map[string]bool{
	"BecauseStarted": true, // New gives it
}

// checkComplete: the stories show every rule that the table names, and every
// reason that can be given.
func (s *seen) checkComplete(t *testing.T) {
	for r := nothing; r < rules; r++ {
		if !s.rules[r] {
			t.Errorf("no story shows the rule %s", s.declared.rules[r])
		}
	}
	for reason, name := range s.declared.reasons {
		if !s.reasons[reason] && !unsaid[name] {
			t.Errorf("no story shows %s: %q", name, reason)
		}
	}
	for reason := range s.reasons {
		if _, ok := s.declared.reasons[reason]; !ok && reason != "" {
			t.Errorf("a story shows the reason %q, which reason.go does not name", reason)
		}
	}
}
