// Command electd-arbiter-file is the arbiter "file" as a plugin of its own.
package main

import (
	"context"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func main() {
	plugins.Serve(plugins.Plugin[file.Config]{
		Name:   "file",
		Doc:    "Keeps lease records in a directory of this machine.",
		New:    func(ctx context.Context, c file.Config) (core.Arbiter, error) { return file.New(ctx, c) },
		Limits: func(file.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	})
}
