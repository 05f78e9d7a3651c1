package builtin

import (
	"context"
	"os"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == Command {
		Find(os.Args[2]).Serve()
		return
	}
	os.Exit(m.Run())
}

// open starts a built-in arbiter's process, as electd does.
func open(ctx context.Context, name string, values plugins.Values) (core.Arbiter, error) {
	host, err := plugins.Launch(ctx, plugins.Spec{Name: name, Self: []string{Command, name}})
	if err != nil {
		return nil, err
	}
	if err := host.Configure(ctx, values); err != nil {
		_ = host.Close()
		return nil, err
	}
	return host.Arbiter(), nil
}

// A built-in arbiter does the same in its own process as it does as a library. What
// faults do to them is judged in process; s3 and gcs have both.
func TestFileConformsInItsProcess(t *testing.T) {
	values := plugins.Values{"dir": t.TempDir()}
	arbitertest.Run(t, arbitertest.Harness{
		Open:   func(ctx context.Context) (core.Arbiter, error) { return open(ctx, "file", values) },
		Rounds: 3, Takers: 4,
	})
}

func TestEveryBuiltInHasASchema(t *testing.T) {
	for _, name := range []string{"s3", "gcs", "bully", "file"} {
		d := Find(name)
		if d == nil {
			t.Fatalf("%s is not built in", name)
		}
		schema, err := d.Schema()
		if err != nil || len(schema.Attributes) == 0 {
			t.Errorf("%s: schema %+v, %v", name, schema, err)
		}
		for _, a := range schema.Attributes {
			if a.Doc == "" {
				t.Errorf("%s: attribute %s says nothing of itself", name, a.Name)
			}
		}
	}
}
