package plugins

import "time"

// Schema describes the attributes an arbiter's configuration takes. It is
// handed over by the plugin, so that a host can check a user's configuration
// and point at the line that is wrong, whatever language the plugin is in.
type Schema struct {
	Attributes []Attribute // in the order they are to be shown
}

// Attribute describes one attribute.
type Attribute struct {
	Name      string // as in the configuration: lower case, digits and underscores
	Type      Type
	Required  bool
	Default   any     // nil, or a value of the Go type that Type names
	Sensitive bool    // never to be logged or shown
	Doc       string  // one or a few sentences, for people
	Block     *Schema // what is inside; set for TypeBlock only
}

// Type says what an attribute's value is.
type Type uint8

// The types, each with the Go type its value has in Values. In HCL a duration
// is a string such as "1500ms", and a block is a nested block without labels
// that may be given at most once.
const (
	TypeString     Type = iota + 1 // string
	TypeBool                       // bool
	TypeInt                        // int64
	TypeFloat                      // float64
	TypeDuration                   // time.Duration
	TypeStringList                 // []string
	TypeStringMap                  // map[string]string
	TypeBlock                      // Values
)

// String returns the type's name for people: "string", "list of string", …
func (t Type) String() string {
	switch t {
	case TypeString:
		return "string"
	case TypeBool:
		return "bool"
	case TypeInt:
		return "int"
	case TypeFloat:
		return "float"
	case TypeDuration:
		return "duration"
	case TypeStringList:
		return "list of string"
	case TypeStringMap:
		return "map of string"
	case TypeBlock:
		return "block"
	}
	return "none"
}

// Values are the attributes a user set, by name, each of the Go type that the
// schema's Type names. What the user left out is absent; nil means absent too.
type Values map[string]any

// Find returns the attribute of that name, nil if there is none.
func (s Schema) Find(name string) *Attribute {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return &s.Attributes[i]
		}
	}
	return nil
}

// typeOf returns the type a value in Values has, 0 if it may not stand there.
func typeOf(value any) Type {
	switch value.(type) {
	case string:
		return TypeString
	case bool:
		return TypeBool
	case int64:
		return TypeInt
	case float64:
		return TypeFloat
	case time.Duration:
		return TypeDuration
	case []string:
		return TypeStringList
	case map[string]string:
		return TypeStringMap
	case Values:
		return TypeBlock
	}
	return 0
}
