package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const operations = "../../docs/operations.md"

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(operations)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ") // however it is wrapped
}

// Every reason that the protocol can give is explained.
func TestOperationsExplainsEveryReason(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../core/reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	page, found := page(t), 0
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			found++
			if reason, _ := strconv.Unquote(literal.Value); !strings.Contains(page, reason) {
				t.Errorf("%s does not explain %q", operations, reason)
			}
		}
		return true
	})
	if found < 30 {
		t.Errorf("only %d reasons found in core/reason.go", found)
	}
}

// Every line that the daemon logs at info or above, the API's own aside, is
// explained.
func TestOperationsExplainsEveryLine(t *testing.T) {
	page, found := page(t), 0
	for _, root := range []string{".", "../../plugins", "../../transport/wire"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "api" || d.Name() == "demo" || strings.HasPrefix(d.Name(), "electd-")):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			for _, line := range logged(t, path) {
				found++
				if !strings.Contains(page, line) {
					t.Errorf("%s does not explain the line %q of %s", operations, line, path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 40 {
		t.Errorf("only %d lines found", found)
	}
}

// logged returns what a file logs at info or above.
func logged(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "Info" && method.Sel.Name != "Warn" && method.Sel.Name != "Error" {
			return true
		}
		if literal, ok := call.Args[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			line, _ := strconv.Unquote(literal.Value)
			lines = append(lines, strings.TrimSpace(line))
		}
		return true
	})
	return lines
}

var exitStatus = regexp.MustCompile(`(?m)^\texit[A-Z]\w+ *= (\d+)`)

// Every exit status is listed, here and in the program's help.
func TestOperationsListsEveryExitStatus(t *testing.T) {
	source, err := os.ReadFile("root.go")
	if err != nil {
		t.Fatal(err)
	}
	page, found := page(t), exitStatus.FindAllStringSubmatch(string(source), -1)
	if len(found) < 6 {
		t.Fatalf("only %d exit statuses found", len(found))
	}
	for _, status := range found {
		if !strings.Contains(page, "| "+status[1]+" |") {
			t.Errorf("%s does not list exit status %s", operations, status[1])
		}
		if help := rootCommand(streams{}).Long; status[1] != "0" && !strings.Contains(help, status[1]+" ") {
			t.Errorf("electd --help does not list exit status %s", status[1])
		}
	}
}
