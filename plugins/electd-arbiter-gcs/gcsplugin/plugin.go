// Package gcsplugin is the arbiter "gcs" as a plugin. It is built into electd and
// served by the program electd-arbiter-gcs.
package gcsplugin

import (
	"context"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Plugin is what both serve.
var Plugin = plugins.Plugin[gcs.Config]{
	Name: "gcs",
	Doc:  "Keeps lease records in a bucket of Google Cloud Storage by generation.",
	New:  func(ctx context.Context, c gcs.Config) (core.Arbiter, error) { return gcs.New(ctx, c) },
	Limits: func(gcs.Config) plugins.Capabilities {
		return plugins.Capabilities{Age: true, MinWriteInterval: gcs.WriteInterval}
	},
}
