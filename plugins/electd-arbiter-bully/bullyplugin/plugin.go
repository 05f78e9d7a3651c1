// Package bullyplugin is the arbiter "bully" as a plugin. It is built into electd and
// served by the program electd-arbiter-bully.
package bullyplugin

import (
	"context"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Plugin is what both serve.
var Plugin = plugins.Plugin[bully.Config]{
	Name:   "bully",
	Doc:    "Elects among three or more nodes by their own votes; needs no store.",
	New:    func(ctx context.Context, c bully.Config) (core.Arbiter, error) { return bully.New(ctx, c) },
	Limits: func(bully.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
}
