// Command electd-arbiter-postgres is the arbiter "postgres": an example of a third
// party's plugin, and one to be used.
package main

import (
	"context"

	"github.com/electd/electd/arbiter/postgres"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func main() {
	plugins.Serve(plugins.Plugin[postgres.Config]{
		Name:   "postgres",
		Doc:    "Keeps lease records in a table of a PostgreSQL database.",
		New:    func(ctx context.Context, c postgres.Config) (core.Arbiter, error) { return postgres.New(ctx, c) },
		Limits: func(postgres.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	})
}
