package plugins

import (
	"fmt"
	"reflect"
	"strings"
)

// Decode sets the fields of the configuration struct that config points at.
// The values must have gone through Schema.Complete with the struct's own
// schema; anything else is an error that names the attribute.
func Decode(values Values, config any) error {
	target := reflect.ValueOf(config)
	if target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode into %T: want a pointer to a struct", config)
	}
	return fill(target.Elem(), values)
}

func fill(target reflect.Value, values Values) error {
	for i := range target.NumField() {
		name, _, _ := strings.Cut(target.Type().Field(i).Tag.Get("electd"), ",")
		value, has := values[name]
		if name == "" || !has || value == nil {
			continue
		}
		if err := set(target.Field(i), value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func set(field reflect.Value, value any) error {
	if block, ok := value.(Values); ok {
		if field.Kind() != reflect.Pointer {
			return fmt.Errorf("a block cannot be put into %s", field.Type())
		}
		field.Set(reflect.New(field.Type().Elem()))
		return fill(field.Elem(), block)
	}
	v := reflect.ValueOf(value)
	// An int attribute arrives as int64 and may be kept in an int.
	if field.Kind() == reflect.Int && v.Kind() == reflect.Int64 && field.Type() == reflect.TypeFor[int]() {
		if field.OverflowInt(v.Int()) {
			return fmt.Errorf("%d is too large", v.Int())
		}
		field.SetInt(v.Int())
		return nil
	}
	if v.Type() != field.Type() {
		return fmt.Errorf("%s cannot be put into %s", v.Type(), field.Type())
	}
	field.Set(v)
	return nil
}
