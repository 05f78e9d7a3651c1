package bully_test

import (
	"os"
	"path/filepath"
	"strings"
)

// rewrite changes a node's configuration line by line.
func (x *example) rewrite(node string, change func(line string) string) {
	x.t.Helper()
	path := filepath.Join(x.dir, node+".hcl")
	text, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = change(line)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

// setting returns the first string on the line of an attribute.
func (x *example) setting(node, name string) (value string) {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, node+".hcl"))
	if err != nil {
		x.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if attribute, _, _ := strings.Cut(strings.TrimSpace(line), " "); attribute == name {
			_, rest, _ := strings.Cut(line, `"`)
			value, _, _ = strings.Cut(rest, `"`)
			return value
		}
	}
	x.t.Fatalf("%s has no %s", node+".hcl", name)
	return ""
}

// log is what a node has printed.
func (x *example) log(node string) string {
	text, _ := os.ReadFile(filepath.Join(x.dir, node+".log"))
	return string(text)
}
