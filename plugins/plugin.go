package plugins

import (
	"cmp"
	"context"
	"runtime/debug"

	"github.com/electd/electd/core"
)

// Plugin describes an arbiter to be served from a process of its own. C is the
// struct its configuration is decoded into; SchemaOf says what its tags mean.
type Plugin[C any] struct {
	Name    string // as in arbiter "<name>"
	Version string // the plugin's own; empty: that of the program's module
	Doc     string // one sentence: what it stores where

	// New opens the arbiter with a configuration whose required attributes are
	// set and whose defaults are filled in. It must not need the store to be
	// reachable. A wrong attribute is a *core.AttributeError; several may be
	// joined. ctx ends with the call.
	New func(ctx context.Context, config C) (core.Arbiter, error)

	// Limits says what cannot be seen from the arbiter's methods: Age,
	// MaxRecordBytes, MinWriteInterval. It may be nil.
	Limits func(config C) Capabilities
}

// Definition is a Plugin whose configuration's type does not matter, so that
// plugins can stand in one table.
type Definition interface {
	Info() Info
	Schema() (Schema, error)
	// Serve is what the process does: see the function Serve.
	Serve()
	// Open opens the arbiter in this process, without a boundary.
	Open(ctx context.Context, values Values) (core.Arbiter, Capabilities, error)
}

// Info returns what the plugin says of itself.
func (p Plugin[C]) Info() Info {
	return Info{Name: p.Name, Version: cmp.Or(p.Version, moduleVersion()), Doc: p.Doc, SDK: sdk}
}

func moduleVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build.Main.Version
	}
	return ""
}

// Schema returns the schema of C. Its error is the author's: see SchemaOf.
func (p Plugin[C]) Schema() (Schema, error) { return SchemaOf[C]() }

// Open checks and completes values, decodes them and opens the arbiter.
func (p Plugin[C]) Open(ctx context.Context, values Values) (core.Arbiter, Capabilities, error) {
	schema, err := p.Schema()
	if err != nil {
		return nil, Capabilities{}, err
	}
	if values, err = schema.Complete(values); err != nil {
		return nil, Capabilities{}, err
	}
	var config C
	if err := Decode(values, &config); err != nil {
		return nil, Capabilities{}, err
	}
	arbiter, err := p.New(ctx, config)
	if err != nil {
		return nil, Capabilities{}, err
	}
	var can Capabilities
	if p.Limits != nil {
		can = p.Limits(config)
	}
	_, can.Watch = arbiter.(core.Watcher)
	_, can.Probe = arbiter.(core.Prober)
	_, can.Report = arbiter.(core.Reporter)
	return arbiter, can, nil
}
