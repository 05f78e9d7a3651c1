package plugins

import (
	"slices"
	"strings"
)

// hider replaces what the schema marks as sensitive in everything that a plugin
// prints or says.
func hider(s Schema, values Values) *strings.Replacer {
	var pairs []string
	for _, secret := range secretsOf(s, values) {
		if len(secret) >= 4 { // shorter ones would hide half the log and nothing else
			pairs = append(pairs, secret, "(sensitive)")
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
}

func secretsOf(s Schema, values Values) []string {
	var secrets []string
	for _, a := range s.Attributes {
		switch v := values[a.Name].(type) {
		case Values:
			inner := *a.Block
			if a.Sensitive {
				inner = allSensitive(inner)
			}
			secrets = append(secrets, secretsOf(inner, v)...)
		case string:
			if a.Sensitive {
				secrets = append(secrets, v)
			}
		case []string:
			if a.Sensitive {
				secrets = append(secrets, v...)
			}
		case map[string]string:
			for _, item := range v {
				if a.Sensitive {
					secrets = append(secrets, item)
				}
			}
		}
	}
	return secrets
}

func allSensitive(s Schema) Schema {
	all := Schema{Attributes: slices.Clone(s.Attributes)}
	for i := range all.Attributes {
		all.Attributes[i].Sensitive = true
	}
	return all
}
