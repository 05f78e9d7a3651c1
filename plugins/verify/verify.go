// Package verify runs the conformance kit against a plugin, whatever language it
// is written in: every client of the kit is a process of its own, started the
// way electd starts it.
package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Options say what to verify.
type Options struct {
	Spec   plugins.Spec
	Values plugins.Values // a configuration on a store that may be written to
	Prefix string         // of the keys used; empty: "arbitertest-" and something random

	// Faulty returns the configuration of a client whose way to the store can be
	// broken, and the handles for that. Nil where there is none: the checks that
	// need it are skipped.
	Faulty func(ctx context.Context, v plugins.Values) (plugins.Values, arbitertest.Faults, error)

	// OnResult, if set, hears of each result as soon as it is there.
	OnResult func(arbitertest.Result)
}

// Report is what was found.
type Report struct {
	Info         plugins.Info
	Capabilities plugins.Capabilities
	Kit          arbitertest.Report
}

// Run verifies a plugin. Its error is about the start or the configuration, with
// *core.AttributeErrors joined; what the kit found is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	var report Report
	err := o.describe(ctx, &report)
	if err != nil {
		return report, err
	}
	h := arbitertest.Harness{
		Open:          func(ctx context.Context) (core.Arbiter, error) { return o.open(ctx, o.Values) },
		Prefix:        o.Prefix,
		WriteInterval: report.Capabilities.MinWriteInterval,
		OnResult:      o.OnResult,
	}
	if o.Faulty != nil {
		h.OpenFaulty = func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			values, faults, err := o.Faulty(ctx, o.Values)
			if err != nil {
				return nil, faults, err
			}
			arbiter, err := o.open(ctx, values)
			return arbiter, faults, err
		}
	}
	report.Kit = arbitertest.Examine(ctx, h)
	return report, ctx.Err()
}

// describe starts the plugin once, to learn what it is and that it can be
// configured.
func (o Options) describe(ctx context.Context, report *Report) error {
	host, err := plugins.Launch(ctx, o.Spec)
	if err != nil {
		return err
	}
	report.Info = host.Info()
	err = host.Configure(ctx, o.Values)
	report.Capabilities = host.Capabilities()
	if most := report.Capabilities.MaxRecordBytes; err == nil && most > 0 && most < core.MaxRecordBytes {
		err = fmt.Errorf("plugin %q takes records of at most %d bytes (its max_record_bytes), and a lease record may have %d", report.Info.Name, most, core.MaxRecordBytes)
	}
	return errors.Join(err, host.Close())
}

// open starts a process and returns its arbiter, which ends it when closed.
func (o Options) open(ctx context.Context, values plugins.Values) (core.Arbiter, error) {
	host, err := plugins.Launch(ctx, o.Spec)
	if err != nil {
		return nil, err
	}
	if err := host.Configure(ctx, values); err != nil {
		return nil, errors.Join(err, host.Close())
	}
	return host.Arbiter(), nil
}

// Err joins what failed; nil if nothing did. Skips are no failures: see
// Certified.
func (r Report) Err() error { return r.Kit.Err() }

// Certified reports whether every check was made and passed.
func (r Report) Certified() bool { return r.Kit.Certified() }

// WriteText writes the report for people.
func (r Report) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s %s: %s\n", r.Info.Name, r.Info.Version, r.Info.Doc); err != nil {
		return err
	}
	return r.Kit.WriteText(w)
}

// MarshalJSON gives plugin, capabilities and the kit's report.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Plugin       plugin             `json:"plugin"`
		Capabilities capabilities       `json:"capabilities"`
		Report       arbitertest.Report `json:"report"`
	}{
		plugin{r.Info.Name, r.Info.Version, r.Info.Doc, r.Info.SDK},
		capabilities{
			r.Capabilities.Watch, r.Capabilities.Probe, r.Capabilities.Report, r.Capabilities.Age,
			r.Capabilities.MaxRecordBytes, r.Capabilities.MinWriteInterval.Milliseconds(),
		},
		r.Kit,
	})
}

type plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Doc     string `json:"doc"`
	SDK     string `json:"sdk,omitempty"`
}

type capabilities struct {
	Watch              bool  `json:"watch"`
	Probe              bool  `json:"probe"`
	Report             bool  `json:"report"`
	Age                bool  `json:"age"`
	MaxRecordBytes     int   `json:"max_record_bytes"`
	MinWriteIntervalMS int64 `json:"min_write_interval_ms"`
}
