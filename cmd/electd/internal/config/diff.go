package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/electd/electd/plugins"
)

// Change is one difference between two configurations.
type Change struct {
	Path    string `json:"path"`              // election["orders"].fence_margin
	Old     string `json:"old,omitempty"`     // empty: was not there
	New     string `json:"new,omitempty"`     // empty: is no more
	Restart string `json:"restart,omitempty"` // why only a restart applies it; empty if a reload does
}

// String returns the change in one line, for logs.
func (c Change) String() string {
	text := fmt.Sprintf("%s: %s → %s", c.Path, orNone(c.Old), orNone(c.New))
	if c.Restart != "" {
		text += fmt.Sprintf(" (needs a restart: %s)", c.Restart)
	}
	return text
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Diff returns what differs between two configurations, and for each difference
// whether a reload can apply it. Sensitive values are not shown.
func Diff(old, new *Config) []Change {
	var d differ
	d.structs(reflect.ValueOf(old).Elem(), reflect.ValueOf(new).Elem(), "", "")
	d.arbiter(old, new)
	return d.changes
}

type differ struct{ changes []Change }

func (d *differ) add(path, old, new, restart string) {
	if old == new { // maps show their keys only
		new = "with other values"
	}
	d.changes = append(d.changes, Change{path, old, new, restart})
}

// structs compares two blocks; restart is why their parent needs one, if it does.
func (d *differ) structs(old, new reflect.Value, path, restart string) {
	for _, f := range fieldsOf(old.Type()) {
		at, why := join(path, f.name), f.restart
		if restart != "" {
			why = restart
		}
		a, b := old.Field(f.index), new.Field(f.index)
		switch {
		case f.kind == attribute && !reflect.DeepEqual(a.Interface(), b.Interface()):
			d.add(at, show(a), show(b), why)
		case f.kind == label && path == "arbiter" && a.String() != b.String():
			d.add("arbiter", fmt.Sprintf("%q", a.String()), fmt.Sprintf("%q", b.String()), arbiterRestart)
		case f.kind == block:
			d.block(a, b, at, why)
		case f.kind == blocks:
			d.blocks(a, b, at, why)
		}
	}
}

func (d *differ) block(a, b reflect.Value, path, why string) {
	if a.Kind() == reflect.Struct {
		d.structs(a, b, path, why)
		return
	}
	switch {
	case a.IsNil() && b.IsNil():
	case a.IsNil():
		d.add(path, "", "added", d.within(b.Type().Elem(), why))
	case b.IsNil():
		d.add(path, "present", "", d.within(a.Type().Elem(), why))
	default:
		d.structs(a.Elem(), b.Elem(), path, why)
	}
}

func (d *differ) blocks(a, b reflect.Value, path, why string) {
	olds, news := byLabel(a), byLabel(b)
	for _, name := range slices.Sorted(maps.Keys(olds)) {
		if other, ok := news[name]; ok {
			d.structs(olds[name], other, labelPath(path, name), why)
		} else {
			d.add(labelPath(path, name), "present", "", why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(news)) {
		if _, ok := olds[name]; !ok {
			d.add(labelPath(path, name), "", "added", why)
		}
	}
}

// within is why a whole block cannot come or go without a restart: its own
// reason, or the first that an attribute in it has.
func (d *differ) within(t reflect.Type, why string) string {
	for _, f := range fieldsOf(t) {
		if why == "" {
			why = f.restart
		}
	}
	return why
}

func byLabel(list reflect.Value) map[string]reflect.Value {
	named := map[string]reflect.Value{}
	for i := range list.Len() {
		named[labelOf(list.Index(i))] = list.Index(i)
	}
	return named
}

// show prints a value as it stands in a configuration, more or less.
func show(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case string:
		if value == "" {
			return ""
		}
		return fmt.Sprintf("%q", value)
	case []string:
		if len(value) == 0 {
			return ""
		}
		return fmt.Sprintf("%q", value)
	case map[string]string: // values may be secret
		return fmt.Sprintf("%q", slices.Sorted(maps.Keys(value)))
	default:
		return fmt.Sprint(value)
	}
}

const arbiterRestart = "the arbiter's process is configured once"

// arbiter compares the arbiters' own attributes, if both have been decoded.
func (d *differ) arbiter(old, new *Config) {
	if old.Arbiter.Name == new.Arbiter.Name && old.undecoded.schema != nil && new.undecoded.schema != nil {
		d.values(old.undecoded.values, new.undecoded.values, *new.undecoded.schema, "arbiter")
	}
}

func (d *differ) values(old, new plugins.Values, schema plugins.Schema, path string) {
	for _, a := range schema.Attributes {
		at := join(path, a.Name)
		x, y := old[a.Name], new[a.Name]
		switch {
		case reflect.DeepEqual(x, y):
		case a.Type == plugins.TypeBlock:
			inX, _ := x.(plugins.Values)
			inY, _ := y.(plugins.Values)
			d.values(inX, inY, *a.Block, at)
		case a.Sensitive:
			d.add(at, "a secret", "another", arbiterRestart)
		default:
			d.add(at, showAny(x), showAny(y), arbiterRestart)
		}
	}
}

func showAny(value any) string {
	if value == nil {
		return ""
	}
	return show(reflect.ValueOf(value))
}
