package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// goTypes are the Go types of a schema's types.
var goTypes = map[plugins.Type]reflect.Type{
	plugins.TypeString:     reflect.TypeFor[string](),
	plugins.TypeBool:       reflect.TypeFor[bool](),
	plugins.TypeInt:        reflect.TypeFor[int64](),
	plugins.TypeFloat:      reflect.TypeFor[float64](),
	plugins.TypeDuration:   reflect.TypeFor[time.Duration](),
	plugins.TypeStringList: reflect.TypeFor[[]string](),
	plugins.TypeStringMap:  reflect.TypeFor[map[string]string](),
}

// DecodeArbiter decodes the arbiter's own attributes against its schema. What
// the user left out is absent from the values; defaults are the plugin's.
func (c *Config) DecodeArbiter(schema plugins.Schema) (plugins.Values, Diagnostics) {
	c.undecoded.schema = &schema
	var values plugins.Values
	var diags hcl.Diagnostics
	if c.undecoded.body != nil {
		d := decoder{src: &c.source, eval: c.eval}
		values = d.arbiter(c.undecoded.body, schema, c.undecoded.own, "arbiter")
		diags = d.diags
	} else {
		values, diags = decodeSet(c.Arbiter.Name, c.undecoded.set, schema)
	}
	if diags.HasErrors() {
		return nil, c.diagnostics(diags)
	}
	c.undecoded.values = values
	return values, c.diagnostics(diags)
}

// arbiter decodes a body against a schema. Names that own declares are electd's.
func (d *decoder) arbiter(b *hclsyntax.Body, schema plugins.Schema, own []field, path string) plugins.Values {
	values := plugins.Values{}
	for _, a := range schema.Attributes {
		if _, reserved := find(own, a.Name); reserved {
			continue
		}
		if a.Type == plugins.TypeBlock {
			d.arbiterBlock(b, a, values, path)
			continue
		}
		attr, ok := b.Attributes[a.Name]
		if !ok {
			if a.Required {
				d.report(d.src.at(path), "Missing attribute "+a.Name, a.Doc)
			}
			continue
		}
		d.src.where[join(path, a.Name)] = attr.Expr.Range()
		if value, ok := d.value(attr, goTypes[a.Type], a.Required); ok {
			values[a.Name] = value
		}
	}
	d.unknown(b, append(schemaFields(schema), named(own)...))
	return values
}

func (d *decoder) arbiterBlock(b *hclsyntax.Body, a plugins.Attribute, values plugins.Values, path string) {
	found := blocksOf(b, a.Name)
	switch {
	case len(found) == 0 && a.Required:
		d.report(d.src.at(path), "Missing block "+a.Name, a.Doc)
	case len(found) > 1:
		d.report(found[1].DefRange().Ptr(), "Second block "+a.Name,
			fmt.Sprintf("There can be only one; the first is in line %d.", found[0].TypeRange.Start.Line))
	case len(found) == 1 && len(found[0].Labels) > 0:
		d.report(found[0].LabelRanges[0].Ptr(), "Label too many", fmt.Sprintf("A %s block takes no label.", a.Name))
	case len(found) == 1:
		at := join(path, a.Name)
		d.src.where[at] = found[0].DefRange()
		values[a.Name] = d.arbiter(found[0].Body, *a.Block, nil, at)
	}
}

// schemaFields returns a schema's attributes as fields, for finding unknown names.
func schemaFields(schema plugins.Schema) []field {
	var fields []field
	for _, a := range schema.Attributes {
		f := field{name: a.Name, kind: attribute, typ: goTypes[a.Type]}
		if a.Type == plugins.TypeBlock {
			f.kind, f.typ = block, reflect.TypeFor[struct{}]()
		}
		fields = append(fields, f)
	}
	return fields
}

// named returns the fields that have a name.
func named(fields []field) []field {
	var with []field
	for _, f := range fields {
		if f.kind == attribute || f.kind == block {
			with = append(with, f)
		}
	}
	return with
}

// Locate turns an error about the arbiter's configuration into diagnostics at
// the attribute that a core.AttributeError in it names, at the arbiter block if
// it names none. An error that joins several gives several.
func (c *Config) Locate(err error) Diagnostics {
	var diags hcl.Diagnostics
	for _, one := range apart(err) {
		path, summary, detail := "arbiter", fmt.Sprintf("Arbiter %q", c.Arbiter.Name), sentence(one.Error())
		var wrong *core.AttributeError
		if errors.As(one, &wrong) {
			path = join(path, wrong.Attribute)
			summary = fmt.Sprintf("Arbiter %q: %s: %s", c.Arbiter.Name, wrong.Attribute, wrong.Problem)
			detail = explain(wrong)
		}
		diags = append(diags, c.diagnostic(hcl.DiagError, path, summary, detail))
	}
	return c.diagnostics(diags)
}

// explain gives an attribute error's cause and advice.
func explain(e *core.AttributeError) string {
	var sentences []string
	if e.Err != nil {
		sentences = append(sentences, sentence(e.Err.Error()))
	}
	if e.Advice != "" {
		sentences = append(sentences, sentence(e.Advice))
	}
	return strings.Join(sentences, " ")
}

// apart returns the errors that errors.Join has put together.
func apart(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, apart(one)...)
		}
		return errs
	}
	return []error{err}
}
