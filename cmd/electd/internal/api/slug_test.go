package api

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"regexp"
	"strconv"
	"testing"

	"github.com/electd/electd/core"
)

// TestEveryReasonHasASlug reads the reasons where they are declared.
func TestEveryReasonHasASlug(t *testing.T) {
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../../../../core/reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen, reasons := map[string]core.Reason{}, 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, value := range spec.Values {
			text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			reasons++
			reason := core.Reason(text)
			s := slug(reason)
			if s == "other" || !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(s) {
				t.Errorf("%s has the slug %q", spec.Names[i].Name, s)
			}
			if other, ok := seen[s]; ok && other != reason {
				t.Errorf("%q and %q have one slug: %s", reason, other, s)
			}
			seen[s] = reason
		}
		return true
	})
	if reasons != len(slugs) {
		t.Errorf("%d slugs for %d reasons", len(slugs), reasons)
	}
}
