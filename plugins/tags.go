package plugins

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// SchemaOf derives the schema of a configuration struct from its fields' tags:
//
//	Bucket  string        `electd:"bucket,required" doc:"Name of the bucket."`
//	Secret  string        `electd:"secret,sensitive" doc:"…"`
//	Timeout time.Duration `electd:"timeout" default:"2s" doc:"…"`
//	TLS     *TLS          `electd:"tls,block" doc:"…"`
//
// Fields may be string, bool, int, float64, time.Duration, []string,
// map[string]string or, with block, a pointer to a struct of the same kind.
// Fields without an electd tag are left alone. The error is the author's, never
// the user's: a tag that means nothing.
func SchemaOf[C any]() (Schema, error) {
	return schemaOf(reflect.TypeFor[C]())
}

func schemaOf(t reflect.Type) (Schema, error) {
	if t.Kind() != reflect.Struct {
		return Schema{}, fmt.Errorf("configuration %s: want a struct", t)
	}
	var s Schema
	for field := range t.Fields() {
		if field.Tag.Get("electd") == "" {
			continue
		}
		a, err := attributeOf(field)
		if err != nil {
			return Schema{}, fmt.Errorf("configuration %s, field %s: %w", t, field.Name, err)
		}
		if s.Find(a.Name) != nil {
			return Schema{}, fmt.Errorf("configuration %s, field %s: attribute %q is there twice", t, field.Name, a.Name)
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s, nil
}

func attributeOf(field reflect.StructField) (Attribute, error) {
	name, options, _ := strings.Cut(field.Tag.Get("electd"), ",")
	a := Attribute{Name: name, Doc: field.Tag.Get("doc")}
	if !isAttributeName(name) {
		return a, fmt.Errorf("attribute name %q: want lower case letters, digits and underscores", name)
	}
	block := false
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "required":
			a.Required = true
		case "sensitive":
			a.Sensitive = true
		case "block":
			block = true
		default:
			return a, fmt.Errorf("tag option %q: want required, sensitive or block", option)
		}
	}
	if !field.IsExported() {
		return a, fmt.Errorf("the field must be exported")
	}
	if block {
		return blockOf(a, field)
	}
	if a.Type = typeOfField(field.Type); a.Type == 0 {
		return a, fmt.Errorf("type %s is none an attribute can have", field.Type)
	}
	text, has := field.Tag.Lookup("default")
	if !has {
		return a, nil
	}
	if a.Required {
		return a, fmt.Errorf("required and a default exclude each other")
	}
	var err error
	if a.Default, err = parseDefault(a.Type, text); err != nil {
		return a, fmt.Errorf("default %q: %w", text, err)
	}
	return a, nil
}

func blockOf(a Attribute, field reflect.StructField) (Attribute, error) {
	if field.Type.Kind() != reflect.Pointer {
		return a, fmt.Errorf("a block is a pointer to a struct, not %s", field.Type)
	}
	inner, err := schemaOf(field.Type.Elem())
	a.Type, a.Block = TypeBlock, &inner
	return a, err
}

func isAttributeName(name string) bool {
	for i, c := range name {
		if c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '_') {
			continue
		}
		return false
	}
	return name != ""
}

func typeOfField(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[string]():
		return TypeString
	case reflect.TypeFor[bool]():
		return TypeBool
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		return TypeInt
	case reflect.TypeFor[float64]():
		return TypeFloat
	case reflect.TypeFor[time.Duration]():
		return TypeDuration
	case reflect.TypeFor[[]string]():
		return TypeStringList
	case reflect.TypeFor[map[string]string]():
		return TypeStringMap
	}
	return 0
}

func parseDefault(t Type, text string) (any, error) {
	switch t {
	case TypeString:
		return text, nil
	case TypeBool:
		return strconv.ParseBool(text)
	case TypeInt:
		return strconv.ParseInt(text, 10, 64)
	case TypeFloat:
		return strconv.ParseFloat(text, 64)
	case TypeDuration:
		return time.ParseDuration(text)
	case TypeStringList:
		return strings.Split(text, ","), nil
	}
	return nil, fmt.Errorf("a %s cannot have a default", t)
}
