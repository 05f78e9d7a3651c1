package plugins

import (
	"slices"
	"strings"
	"sync/atomic"
)

// secrets hides the values of sensitive attributes in everything a plugin
// prints or says. The zero value hides nothing.
type secrets struct {
	replacer atomic.Pointer[strings.Replacer]
}

// know learns which values are not to be shown.
func (s *secrets) know(schema Schema, values Values) {
	var pairs []string
	for _, secret := range secretsOf(schema, values) {
		if len(secret) >= 4 { // shorter ones would hide half the log and protect nothing
			pairs = append(pairs, secret, "(sensitive)")
		}
	}
	s.replacer.Store(strings.NewReplacer(pairs...))
}

func (s *secrets) hide(text string) string {
	if r := s.replacer.Load(); r != nil {
		return r.Replace(text)
	}
	return text
}

func secretsOf(s Schema, values Values) []string {
	var found []string
	for _, a := range s.Attributes {
		switch v := values[a.Name].(type) {
		case Values:
			inner := *a.Block
			if a.Sensitive {
				inner = allSensitive(inner)
			}
			found = append(found, secretsOf(inner, v)...)
		case string:
			if a.Sensitive {
				found = append(found, v)
			}
		case []string:
			if a.Sensitive {
				found = append(found, v...)
			}
		case map[string]string:
			for _, item := range v {
				if a.Sensitive {
					found = append(found, item)
				}
			}
		}
	}
	return found
}

// allSensitive is the schema of a block that is sensitive as a whole.
func allSensitive(s Schema) Schema {
	all := slices.Clone(s.Attributes)
	for i := range all {
		all[i].Sensitive = true
	}
	return Schema{Attributes: all}
}
