// Package fileplugin is the arbiter "file" as a plugin. It is built into electd and
// served by the program electd-arbiter-file.
package fileplugin

import (
	"context"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Plugin is what both serve.
var Plugin = plugins.Plugin[file.Config]{
	Name:   "file",
	Doc:    "Keeps lease records in a directory of this machine.",
	New:    func(ctx context.Context, c file.Config) (core.Arbiter, error) { return file.New(ctx, c) },
	Limits: func(file.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
}
