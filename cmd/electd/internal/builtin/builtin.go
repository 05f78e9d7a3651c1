// Package builtin is the table of the arbiters that are part of electd itself.
// Each is a plugin like any other: electd starts itself as its process.
package builtin

import (
	"context"
	"time"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Command is the hidden command under which electd serves a built-in arbiter;
// the arbiter's name follows it.
const Command = "serve-arbiter"

// definitions holds the built-in arbiters in the order they are listed.
var definitions = []plugins.Definition{
	plugins.Plugin[s3.Config]{
		Name:   "s3",
		Doc:    "Keeps lease records in a bucket with S3's conditional writes.",
		New:    func(ctx context.Context, c s3.Config) (core.Arbiter, error) { return s3.New(ctx, c) },
		Limits: func(s3.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	},
	plugins.Plugin[gcs.Config]{
		Name: "gcs",
		Doc:  "Keeps lease records in a bucket of Google Cloud Storage by generation.",
		New:  func(ctx context.Context, c gcs.Config) (core.Arbiter, error) { return gcs.New(ctx, c) },
		Limits: func(gcs.Config) plugins.Capabilities {
			return plugins.Capabilities{Age: true, MinWriteInterval: time.Second}
		},
	},
	plugins.Plugin[bully.Config]{
		Name:   "bully",
		Doc:    "Elects among three or more nodes by their own votes; needs no store.",
		New:    func(ctx context.Context, c bully.Config) (core.Arbiter, error) { return bully.New(ctx, c) },
		Limits: func(bully.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	},
	plugins.Plugin[file.Config]{
		Name:   "file",
		Doc:    "Keeps lease records in a directory of this machine.",
		New:    func(ctx context.Context, c file.Config) (core.Arbiter, error) { return file.New(ctx, c) },
		Limits: func(file.Config) plugins.Capabilities { return plugins.Capabilities{Age: true} },
	},
}

// All returns the built-in arbiters.
func All() []plugins.Definition { return definitions }

// Find returns the built-in arbiter of that name, nil if there is none.
func Find(name string) plugins.Definition {
	for _, d := range definitions {
		if d.Info().Name == name {
			return d
		}
	}
	return nil
}
