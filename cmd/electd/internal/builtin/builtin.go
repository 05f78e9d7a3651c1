// Package builtin is the table of the arbiters that are part of electd itself.
// Each is a plugin like any other: electd starts itself as its process.
package builtin

import (
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/electd-arbiter-bully/bullyplugin"
	"github.com/electd/electd/plugins/electd-arbiter-file/fileplugin"
	"github.com/electd/electd/plugins/electd-arbiter-gcs/gcsplugin"
	"github.com/electd/electd/plugins/electd-arbiter-s3/s3plugin"
)

// Command is the hidden command under which electd serves a built-in arbiter;
// the arbiter's name follows it.
const Command = "serve-arbiter"

// definitions holds the built-in arbiters in the order they are listed.
var definitions = []plugins.Definition{s3plugin.Plugin, gcsplugin.Plugin, bullyplugin.Plugin, fileplugin.Plugin}

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
