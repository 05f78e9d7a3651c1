// Command electd-arbiter-gcs is the arbiter "gcs" as a plugin of its own.
package main

import (
	"context"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func main() {
	plugins.Serve(plugins.Plugin[gcs.Config]{
		Name: "gcs",
		Doc:  "Keeps lease records in a bucket of Google Cloud Storage.",
		New:  func(ctx context.Context, c gcs.Config) (core.Arbiter, error) { return gcs.New(ctx, c) },
		Limits: func(gcs.Config) plugins.Capabilities {
			return plugins.Capabilities{Age: true, MinWriteInterval: time.Second}
		},
	})
}
