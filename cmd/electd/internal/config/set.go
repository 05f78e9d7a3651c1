package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/electd/electd/plugins"
)

// decodeSet decodes the values of --set, name=value each, against an arbiter's
// schema. Dots lead into blocks and maps (tls.ca_file=…, headers.X-A=…); a list
// is given by repeating the flag. No message shows a value: it may be secret.
func decodeSet(arbiter string, set []string, schema plugins.Schema) (plugins.Values, hcl.Diagnostics) {
	d := setDecoder{arbiter: arbiter}
	values := plugins.Values{}
	for _, pair := range set {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			d.fail(name, "Not name=value", "Write --set name=value, as in --set bucket=acme-ha.")
			continue
		}
		d.assign(values, schema, name, name, value)
	}
	d.missing(values, schema, "")
	return values, d.diags
}

type setDecoder struct {
	arbiter string
	diags   hcl.Diagnostics
}

func (d *setDecoder) fail(name, summary, detail string) {
	d.diags = append(d.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "--set " + name + ": " + summary, Detail: detail})
}

// assign puts value where name, the rest of the flag's whole name, leads.
func (d *setDecoder) assign(values plugins.Values, schema plugins.Schema, whole, name, value string) {
	first, inner, dotted := strings.Cut(name, ".")
	a := schema.Find(first)
	switch {
	case a == nil:
		d.fail(whole, "Unknown attribute", fmt.Sprintf("The arbiter %q: %s", d.arbiter, meant(first, schemaFields(schema))))
	case a.Type == plugins.TypeBlock && dotted:
		inside, ok := values[first].(plugins.Values)
		if !ok {
			inside = plugins.Values{}
			values[first] = inside
		}
		d.assign(inside, *a.Block, whole, inner, value)
	case a.Type == plugins.TypeBlock:
		d.fail(whole, "A block", fmt.Sprintf("Set what is inside: --set %s.<attribute>=…", whole))
	case a.Type == plugins.TypeStringMap && dotted:
		inside, ok := values[first].(map[string]string)
		if !ok {
			inside = map[string]string{}
			values[first] = inside
		}
		inside[inner] = value
	case a.Type == plugins.TypeStringMap:
		d.fail(whole, "A map of strings", fmt.Sprintf("Set its entries: --set %s.<key>=…", whole))
	case dotted:
		d.fail(whole, "Not a block", fmt.Sprintf("%s is a %s: --set %s=…", first, a.Type, first))
	case a.Type == plugins.TypeStringList:
		list, _ := values[first].([]string)
		values[first] = append(list, value)
	case values[first] != nil:
		d.fail(whole, "Given twice", "It takes one value.")
	default:
		decoded, err := fromText(value, goTypes[a.Type])
		if err != nil {
			d.fail(whole, "Wrong value", sentence(err.Error()))
			return
		}
		values[first] = decoded
	}
}

// missing reports required attributes without a value.
func (d *setDecoder) missing(values plugins.Values, schema plugins.Schema, path string) {
	for _, a := range schema.Attributes {
		inside, isBlock := values[a.Name].(plugins.Values)
		switch {
		case isBlock:
			d.missing(inside, *a.Block, join(path, a.Name))
		case a.Required && values[a.Name] == nil:
			d.fail(join(path, a.Name)+"=…", "Missing", fmt.Sprintf("The arbiter %q needs it. %s", d.arbiter, a.Doc))
		}
	}
}
