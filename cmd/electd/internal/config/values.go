package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"
)

var durationType = reflect.TypeFor[time.Duration]()

// fromHCL converts an evaluated, non-null expression to Go type t: string, bool,
// int, int64, float64, time.Duration, []string or map[string]string. The error
// is one clause without the value, which may be secret.
func fromHCL(v cty.Value, t reflect.Type) (any, error) {
	want := hclType(t)
	v, err := convert.Convert(v, want)
	if err != nil {
		return nil, fmt.Errorf("%s is required", article(t))
	}
	if !v.IsWhollyKnown() || v.IsNull() {
		return nil, errors.New("a value is required")
	}
	out := reflect.New(t)
	if t == durationType {
		d, err := duration(v.AsString())
		return d, err
	}
	if err := gocty.FromCtyValue(v, out.Interface()); err != nil {
		return nil, fmt.Errorf("%s is required", article(t))
	}
	value := out.Elem().Interface()
	if holdsNUL(value) {
		return nil, errors.New("it must not contain a NUL byte")
	}
	return value, nil
}

// fromText converts text, a default or a flag's value, as fromHCL does.
func fromText(text string, t reflect.Type) (any, error) {
	return fromHCL(cty.StringVal(text), t)
}

// hclType returns the type that HCL converts to before Go type t is filled.
func hclType(t reflect.Type) cty.Type {
	if t == durationType {
		return cty.String
	}
	switch t.Kind() {
	case reflect.Bool:
		return cty.Bool
	case reflect.Int, reflect.Int64, reflect.Float64:
		return cty.Number
	case reflect.Slice:
		return cty.List(cty.String)
	case reflect.Map:
		return cty.Map(cty.String)
	}
	return cty.String
}

// typeName names Go type t for people.
func typeName(t reflect.Type) string {
	if t == durationType {
		return "duration"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of strings"
	case reflect.Map:
		return "map of strings"
	}
	return "string"
}

func article(t reflect.Type) string {
	if t == durationType {
		return `a duration, a string such as "1500ms" or "30s",`
	}
	return "a " + typeName(t)
}

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, errors.New(`a duration is a string of numbers with units, such as "1500ms", "30s" or "1m30s"`)
	case d < 0:
		return 0, errors.New("a duration cannot be negative")
	}
	return d, nil
}

func holdsNUL(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []string:
		for _, s := range v {
			if strings.ContainsRune(s, 0) {
				return true
			}
		}
	case map[string]string:
		for k, s := range v {
			if strings.ContainsRune(k, 0) || strings.ContainsRune(s, 0) {
				return true
			}
		}
	}
	return false
}
