package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// unknown reports every name in b that fields do not declare, each with the
// name that was probably meant.
func (d *decoder) unknown(b *hclsyntax.Body, fields []field) {
	if slices.ContainsFunc(fields, func(f field) bool { return f.kind == rest }) {
		return // checked against the arbiter's schema
	}
	for _, attr := range inOrder(b.Attributes) {
		f, ok := find(fields, attr.Name)
		switch {
		case !ok:
			d.report(attr.NameRange.Ptr(), "Unknown attribute "+attr.Name, meant(attr.Name, fields))
		case f.kind != attribute:
			d.report(attr.NameRange.Ptr(), attr.Name+" is a block", fmt.Sprintf("Write %s, without '='.", blockForm(f)))
		}
	}
	for _, found := range b.Blocks {
		f, ok := find(fields, found.Type)
		switch {
		case !ok:
			d.report(found.TypeRange.Ptr(), "Unknown block "+found.Type, meant(found.Type, fields))
		case f.kind == attribute:
			d.report(found.TypeRange.Ptr(), found.Type+" is an attribute", fmt.Sprintf("Write %s = …, a %s.", f.name, typeName(f.typ)))
		}
	}
}

// meant suggests what an unknown name was meant to be: a similar one here, or
// the same one where it belongs.
func meant(name string, fields []field) string {
	var names []string
	for _, f := range fields {
		if f.name != "" {
			names = append(names, f.name)
		}
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("Did you mean %s?", near)
	}
	if homes := homesOf(name, reflect.TypeFor[Config](), "the top level"); len(homes) > 0 {
		return fmt.Sprintf("It belongs in %s.", strings.Join(homes, " or "))
	}
	return fmt.Sprintf("Known here are %s.", strings.Join(names, ", "))
}

// homesOf returns the blocks in which name is declared.
func homesOf(name string, t reflect.Type, home string) []string {
	var homes []string
	for _, f := range fieldsOf(t) {
		if f.name == name {
			homes = append(homes, home)
		}
		if f.kind == block || f.kind == blocks {
			homes = append(homes, homesOf(name, f.inner(), blockForm(f))...)
		}
	}
	return homes
}

// blockForm shows how a block is written.
func blockForm(f field) string {
	if labelled(f.inner()) {
		return f.name + ` "…" { … }`
	}
	return f.name + " { … }"
}

func find(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name && f.name != "" {
			return f, true
		}
	}
	return field{}, false
}

// inOrder returns attributes as they stand in the file.
func inOrder(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return a.NameRange.Start.Byte - b.NameRange.Start.Byte
	})
}
