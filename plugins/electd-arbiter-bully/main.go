// Command electd-arbiter-bully is the arbiter "bully" as a plugin of its own.
package main

import (
	"context"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func main() {
	plugins.Serve(plugins.Plugin[bully.Config]{
		Name:   "bully",
		Doc:    "Keeps lease records on a majority of three or more voters; no store at all.",
		New:    func(ctx context.Context, c bully.Config) (core.Arbiter, error) { return bully.New(ctx, c) },
		Limits: func(bully.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	})
}
