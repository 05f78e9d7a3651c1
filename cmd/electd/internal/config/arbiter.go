package config

import (
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

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
// the user left out comes from the node block, or else is absent from the
// values; defaults are the plugin's.
func (c *Config) DecodeArbiter(schema plugins.Schema) (plugins.Values, Diagnostics) {
	c.undecoded.schema = &schema
	defaults := c.nodeDefaults(schema)
	wanted := optional(schema, defaults)
	var values plugins.Values
	var diags hcl.Diagnostics
	if c.undecoded.body != nil {
		d := decoder{src: &c.source, eval: c.eval}
		values = d.arbiter(c.undecoded.body, wanted, c.undecoded.own, "arbiter")
		diags = d.diags
	} else {
		values, diags = decodeSet(c.Arbiter.Name, c.undecoded.set, wanted)
	}
	if diags.HasErrors() {
		return nil, c.diagnostics(diags)
	}
	for name, value := range defaults {
		if _, given := values[name]; !given {
			values[name] = value
		}
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
		if a.Sensitive && bareWord(attr) != "" {
			d.report(d.src.at(join(path, a.Name)), "Text without quotes", unseen(a.Name))
			continue
		}
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
