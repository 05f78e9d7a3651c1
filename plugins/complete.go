package plugins

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/electd/electd/core"
)

// Complete checks values against the schema and returns a copy with the
// defaults filled in. Its error joins one *core.AttributeError for every
// attribute that is missing, unknown or of the wrong type.
func (s Schema) Complete(values Values) (Values, error) {
	return s.complete("", values)
}

func (s Schema) complete(path string, values Values) (Values, error) {
	full := make(Values, len(s.Attributes))
	var problems []error
	for _, a := range s.Attributes {
		value, err := a.complete(path, values[a.Name])
		if err != nil {
			problems = append(problems, err)
		}
		if value != nil {
			full[a.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if s.Find(name) == nil {
			problems = append(problems, s.unknown(path, name))
		}
	}
	return full, errors.Join(problems...)
}

func (a Attribute) complete(path string, value any) (any, error) {
	switch {
	case value == nil && a.Required:
		return nil, &core.AttributeError{
			Attribute: path + a.Name,
			Problem:   "is missing",
			Advice:    fmt.Sprintf("set it to a %s: %s", a.Type, a.Doc),
		}
	case value == nil:
		return a.Default, nil
	case typeOf(value) != a.Type:
		return nil, &core.AttributeError{
			Attribute: path + a.Name,
			Problem:   "is of another type",
			Advice:    fmt.Sprintf("give a %s", a.Type),
		}
	case a.Type == TypeBlock:
		return a.Block.complete(path+a.Name+".", value.(Values))
	}
	return value, nil
}

func (s Schema) unknown(path, name string) error {
	var names []string
	for _, a := range s.Attributes {
		names = append(names, a.Name)
	}
	advice := "this arbiter takes no attributes"
	if len(names) > 0 {
		advice = "the attributes are " + strings.Join(names, ", ")
	}
	return &core.AttributeError{Attribute: path + name, Problem: "is not an attribute of this arbiter", Advice: advice}
}
