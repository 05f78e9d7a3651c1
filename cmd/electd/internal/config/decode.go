package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// decoder fills configuration structs from HCL bodies and collects everything
// that is wrong on the way.
type decoder struct {
	src   *source
	eval  *hcl.EvalContext
	diags hcl.Diagnostics
}

// body fills the struct v, whose defaults it sets first, from b. What the user
// wrote and where is noted under path.
func (d *decoder) body(b *hclsyntax.Body, v reflect.Value, path string) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		switch f.kind {
		case attribute:
			d.attribute(b, f, v.Field(f.index), path)
		case block:
			d.block(b, f, v.Field(f.index), path)
		case blocks:
			d.blocks(b, f, v.Field(f.index), path)
		case rest:
			d.src.undecoded.body, d.src.undecoded.own = b, fields
		}
	}
	d.unknown(b, fields)
}

func (d *decoder) attribute(b *hclsyntax.Body, f field, v reflect.Value, path string) {
	setPreset(f, v)
	attr, ok := b.Attributes[f.name]
	if !ok {
		if f.required {
			d.missing(f, path)
		}
		return
	}
	if value, ok := d.value(attr, f.typ, f.required); ok {
		d.src.where[join(path, f.name)] = attr.Expr.Range()
		v.Set(reflect.ValueOf(value).Convert(f.typ))
	}
}

// value evaluates an attribute; ok is false if it is null or wrong, and what is
// wrong has been reported.
func (d *decoder) value(attr *hclsyntax.Attribute, t reflect.Type, required bool) (any, bool) {
	where := attr.Expr.Range()
	if word := bareWord(attr); word != "" {
		d.report(&where, "Text without quotes", betweenQuotes(attr.Name, word))
		return nil, false
	}
	v, diags := attr.Expr.Value(d.eval)
	if diags.HasErrors() {
		d.diags = append(d.diags, withoutExpressions(diags)...)
		return nil, false
	}
	if v == cty.NilVal || v.IsNull() {
		if required {
			d.report(&where, "Missing value", fmt.Sprintf("%s must not be null.", attr.Name))
		}
		return nil, false
	}
	value, err := fromHCL(v, t)
	if err != nil {
		d.report(&where, "Wrong value for "+attr.Name, sentence(err.Error()))
		return nil, false
	}
	return value, true
}

func (d *decoder) block(b *hclsyntax.Body, f field, v reflect.Value, parent string) {
	path := join(parent, f.name)
	found := blocksOf(b, f.name)
	if len(found) == 0 {
		if v.Kind() != reflect.Pointer {
			setPresets(v)
		}
		if f.required {
			d.report(d.src.at(parent), "Missing block "+f.name, f.doc)
		}
		return
	}
	for _, again := range found[1:] {
		d.report(again.DefRange().Ptr(), "Second block "+f.name,
			fmt.Sprintf("There can be only one %s block; the first is in line %d.", f.name, found[0].TypeRange.Start.Line))
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	d.inside(found[0], v, path)
}

func (d *decoder) blocks(b *hclsyntax.Body, f field, v reflect.Value, path string) {
	first := map[string]int{} // label → line
	for _, found := range blocksOf(b, f.name) {
		element := reflect.New(f.inner()).Elem()
		at := join(path, f.name)
		if len(found.Labels) == 1 {
			name := found.Labels[0]
			if line, twice := first[name]; twice {
				d.report(found.LabelRanges[0].Ptr(), fmt.Sprintf("Second %s %q", f.name, name),
					fmt.Sprintf("There is one of that name in line %d already.", line))
				continue
			}
			first[name] = found.TypeRange.Start.Line
			at = labelPath(at, name)
		}
		d.inside(found, element, at)
		v.Set(reflect.Append(v, element))
	}
	if f.required && v.Len() == 0 {
		d.report(d.src.at(path), "Missing block "+f.name, f.doc)
	}
}

// inside checks a block's label and decodes what is inside its braces.
func (d *decoder) inside(found *hclsyntax.Block, v reflect.Value, path string) {
	d.src.where[path] = found.DefRange()
	wanted := 0
	for _, f := range fieldsOf(v.Type()) {
		if f.kind == label {
			wanted = 1
			if len(found.Labels) > 0 {
				v.Field(f.index).SetString(found.Labels[0])
				d.src.where[join(path, "label")] = found.LabelRanges[0]
			}
		}
	}
	switch {
	case wanted > len(found.Labels):
		d.report(found.DefRange().Ptr(), "Missing label",
			fmt.Sprintf("Write %s \"…\" { … }.", found.Type))
	case wanted < len(found.Labels):
		d.report(found.LabelRanges[wanted].Ptr(), "Label too many",
			fmt.Sprintf("Write %s.", []string{found.Type + " { … }", found.Type + ` "…" { … }`}[wanted]))
	}
	d.body(found.Body, v, path)
}

// missing reports a required attribute that the block at path does not have.
func (d *decoder) missing(f field, path string) {
	detail := f.doc
	if f.example != "" {
		detail += fmt.Sprintf(" Example: %s = %s", f.name, exampleText(f))
	}
	d.report(d.src.at(path), "Missing attribute "+f.name, detail)
}

func (d *decoder) report(where *hcl.Range, summary, detail string) {
	d.diags = append(d.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: where})
}

// bareWord returns the word that an attribute is set to without quotes, if it is
// set to one.
func bareWord(attr *hclsyntax.Attribute) string {
	word := hcl.ExprAsKeyword(attr.Expr)
	if slices.Contains([]string{"true", "false", "null"}, word) {
		return ""
	}
	return word
}

// withoutExpressions drops what HCL would use to print values in a message.
func withoutExpressions(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, diag := range diags {
		diag.Expression, diag.EvalContext = nil, nil
	}
	return diags
}

// blocksOf returns the body's blocks of one type.
func blocksOf(b *hclsyntax.Body, name string) []*hclsyntax.Block {
	return slices.DeleteFunc(slices.Clone(b.Blocks), func(found *hclsyntax.Block) bool { return found.Type != name })
}

// setPresets fills the struct v with the defaults of all its attributes.
func setPresets(v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		switch {
		case f.kind == attribute:
			setPreset(f, v.Field(f.index))
		case f.kind == block && f.typ.Kind() == reflect.Struct:
			setPresets(v.Field(f.index))
		}
	}
}

func setPreset(f field, v reflect.Value) {
	if f.preset == "" {
		return
	}
	value, err := fromText(f.preset, f.typ)
	if err != nil {
		panic(fmt.Sprintf("config: default of %s: %v", f.name, err)) // a wrong tag; a test sets them all
	}
	v.Set(reflect.ValueOf(value).Convert(f.typ))
}

func exampleText(f field) string {
	if f.typ.Kind() == reflect.String {
		return fmt.Sprintf("%q", f.example)
	}
	return f.example
}

// sentence makes one clause a sentence.
func sentence(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(clause[size:], ".") + "."
}
