package config

import (
	"reflect"
	"strings"
)

// kind says what a field of a configuration struct stands for.
type kind uint8

const (
	attribute kind = iota + 1 // name = value
	block                     // name { … }, at most once
	blocks                    // name "label" { … }, any number
	label                     // the block's own label
	rest                      // whatever else the block holds is kept undecoded
)

// field is what the tags of one struct field declare.
type field struct {
	index    int
	name     string
	kind     kind
	typ      reflect.Type
	required bool
	preset   string   // default as text; empty where there is none or it depends on other attributes
	values   []string // the words allowed, if only some are
	restart  string   // why a running daemon cannot take a change; empty if it can
	doc      string
	example  string
}

// fieldsOf reads the tags of a configuration struct, in the order declared.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("electd")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		f := field{
			index: i, name: name, kind: attribute, typ: sf.Type,
			preset:  sf.Tag.Get("default"),
			restart: sf.Tag.Get("restart"),
			doc:     sf.Tag.Get("doc"),
			example: sf.Tag.Get("example"),
		}
		if words := sf.Tag.Get("values"); words != "" {
			f.values = strings.Split(words, "|")
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "required":
				f.required = true
			case "block":
				f.kind = block
			case "blocks":
				f.kind = blocks
			case "label":
				f.kind = label
			case "rest":
				f.kind = rest
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// inner returns the struct type behind a block field.
func (f field) inner() reflect.Type {
	t := f.typ
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// labelled tells whether blocks of struct type t carry a label.
func labelled(t reflect.Type) bool {
	for _, f := range fieldsOf(t) {
		if f.kind == label {
			return true
		}
	}
	return false
}

// join returns the path of something inside path: election["orders"].run.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// labelPath returns the path of a labelled block: election["orders"].
func labelPath(path, label string) string { return path + `["` + label + `"]` }
