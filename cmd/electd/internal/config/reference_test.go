package config

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const page = "../../../../docs/configuration.md"

const begin = "<!-- The rest of this page is written by the tests of cmd/electd/internal/config (-update). -->\n"

// The reference in docs/ says what the code does: it is written from the tags
// that the code follows.
func TestReference(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(text), begin)
	if !ok {
		t.Fatalf("%s has no line %q", page, begin)
	}
	var b bytes.Buffer
	b.WriteString(prose + begin)
	reference(&b, reflect.TypeFor[Config](), "", "## The top level\n")
	golden(t, page, b.Bytes())
}

// reference writes the tables of a block and all blocks in it.
func reference(b *bytes.Buffer, t reflect.Type, restart, title string) {
	fmt.Fprintf(b, "\n%s\n", title)
	header := false
	for _, f := range fieldsOf(t) {
		if f.kind != attribute {
			continue
		}
		if !header {
			b.WriteString("| attribute | type | default | takes effect | |\n|---|---|---|---|---|\n")
			header = true
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.name, typeName(f.typ), defaultText(f), effect(f, restart), docText(f))
	}
	header = false
	for _, f := range fieldsOf(t) {
		if f.kind != block && f.kind != blocks {
			continue
		}
		if !header {
			b.WriteString("\n| block | how often | |\n|---|---|---|\n")
			header = true
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", blockForm(f), often(f), cell(f.doc))
	}
	for _, f := range fieldsOf(t) {
		if f.kind == block || f.kind == blocks {
			why := f.restart
			if restart != "" {
				why = restart
			}
			reference(b, f.inner(), why, heading(title, f))
		}
	}
}

func heading(parent string, f field) string {
	if strings.Contains(parent, "top level") {
		return "## `" + blockForm(f) + "`\n"
	}
	outer := strings.TrimSuffix(strings.Trim(strings.TrimLeft(parent, "# "), "`\n"), " … }")
	return "#" + strings.Fields(parent)[0] + " `" + outer + " " + blockForm(f) + " }`\n"
}

func defaultText(f field) string {
	switch {
	case f.required:
		return "required"
	case f.preset == "" && strings.Contains(f.doc, "Default:"):
		return "see there"
	case f.preset == "":
		return "none"
	case f.typ == durationType || f.typ.Kind() == reflect.String:
		return fmt.Sprintf("`%q`", f.preset)
	}
	return "`" + f.preset + "`"
}

func effect(f field, restart string) string {
	if restart != "" || f.restart != "" {
		return "on restart"
	}
	return "on reload"
}

func often(f field) string {
	switch {
	case f.kind == blocks && f.required:
		return "once or more"
	case f.kind == blocks:
		return "any number"
	case f.required:
		return "once"
	}
	return "at most once"
}

func docText(f field) string {
	text := f.doc
	if f.values != nil {
		text += " One of `" + strings.Join(f.values, "`, `") + "`."
	}
	if f.example != "" {
		text += fmt.Sprintf(" Example: `%s = %s`", f.name, exampleText(f))
	}
	return cell(text)
}

var cell = strings.NewReplacer("|", `\|`, "<", "&lt;").Replace

// Every declared attribute and block is documented, and set by one of the files
// in testdata/accepted, so that none is declared and not decoded.
func TestEverythingIsSetAndDocumented(t *testing.T) {
	set := map[string]bool{}
	for _, file := range files(t, "testdata/accepted/*.hcl") {
		c, diags := load(t, file)
		if diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		for path := range c.where {
			set[unlabelled.ReplaceAllString(path, "")] = true
		}
	}
	everyField(reflect.TypeFor[Config](), "", func(path string, f field) {
		if !strings.HasSuffix(f.doc, ".") {
			t.Errorf("%s: no sentence documents it", path)
		}
		if !set[path] {
			t.Errorf("%s is in no file of testdata/accepted", path)
		}
	})
}

var unlabelled = regexp.MustCompile(`\["[^"]*"\]`)

func everyField(t reflect.Type, path string, visit func(string, field)) {
	for _, f := range fieldsOf(t) {
		switch f.kind {
		case attribute:
			visit(join(path, f.name), f)
		case block, blocks:
			visit(join(path, f.name), f)
			everyField(f.inner(), join(path, f.name), visit)
		}
	}
}

// The page's examples are accepted.
func TestExamplesInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for i, example := range examples {
		if !bytes.Contains(example[1], []byte("node {")) {
			continue // a fragment
		}
		if _, diags := parse(fmt.Sprintf("example-%d.hcl", i), t.TempDir(), example[1]); diags.Len() > 0 {
			t.Errorf("%s", written(t, diags))
		}
	}
}
