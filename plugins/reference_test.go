package plugins_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/arbiter/etcd"
	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/postgres"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/plugins"
)

var update = flag.Bool("update", false, "write the reference of attributes anew")

const page = "../docs/plugins-reference.md"

const introduction = `# Attributes of the arbiters

What stands in the block ` + "`arbiter \"<name>\" { … }`" + ` beside what is electd's own. Made from the arbiters' schemas by
` + "`go test ./plugins -run Reference -update`" + `; ` + "`electd plugin schema <name>`" + ` prints the same for any plugin. Durations are strings
such as ` + "`\"1500ms\"`" + `.
`

// The page says of every arbiter in this repository what its schema says.
func TestReferenceIsUpToDate(t *testing.T) {
	var text strings.Builder
	text.WriteString(introduction)
	for _, a := range []struct {
		name, where string
		schema      func() (plugins.Schema, error)
	}{
		{"s3", "built in; [more](arbiter-s3.md)", plugins.SchemaOf[s3.Config]},
		{"gcs", "built in; [more](arbiter-gcs.md)", plugins.SchemaOf[gcs.Config]},
		{"bully", "built in; [more](arbiter-bully.md)", plugins.SchemaOf[bully.Config]},
		{"file", "built in; [more](arbiter-file.md)", plugins.SchemaOf[file.Config]},
		{"etcd", "the plugin `electd-arbiter-etcd`; [more](plugins-etcd.md)", plugins.SchemaOf[etcd.Config]},
		{"postgres", "the plugin `electd-arbiter-postgres`; [more](plugins-postgres.md)", plugins.SchemaOf[postgres.Config]},
	} {
		schema, err := a.schema()
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\n%s", a.name, upper(a.where), plugins.Reference(schema))
	}
	if *update {
		if err := os.WriteFile(page, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(there) != text.String() {
		t.Errorf("%s is not what the schemas say: run go test ./plugins -run Reference -update", page)
	}
}

func upper(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] + "." }
