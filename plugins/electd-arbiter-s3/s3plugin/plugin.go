// Package s3plugin is the arbiter "s3" as a plugin. It is built into electd and
// served by the program electd-arbiter-s3.
package s3plugin

import (
	"context"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Plugin is what both serve.
var Plugin = plugins.Plugin[s3.Config]{
	Name:   "s3",
	Doc:    "Keeps lease records in a bucket with S3's conditional writes.",
	New:    func(ctx context.Context, c s3.Config) (core.Arbiter, error) { return s3.New(ctx, c) },
	Limits: func(s3.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
}
