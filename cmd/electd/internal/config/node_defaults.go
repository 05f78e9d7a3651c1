package config

import (
	"path/filepath"
	"slices"

	"github.com/electd/electd/plugins"
)

// nodeDefaults are the values of those attributes that an arbiter takes from the
// node block where its own leaves them out: an arbiter whose nodes vote is told
// who it is and where its disk is once, not twice.
func (c *Config) nodeDefaults(schema plugins.Schema) plugins.Values {
	values := plugins.Values{}
	if c.Arbiter.Name != "bully" {
		return values
	}
	if schema.Find("node") != nil {
		values["node"] = c.Node.ID
	}
	if schema.Find("data_dir") != nil && c.Node.DataDir != "" {
		values["data_dir"] = filepath.Join(c.Node.DataDir, "votes")
	}
	return values
}

// optional returns the schema without requiring what defaults provide.
func optional(schema plugins.Schema, defaults plugins.Values) plugins.Schema {
	schema.Attributes = slices.Clone(schema.Attributes)
	for i := range schema.Attributes {
		if _, has := defaults[schema.Attributes[i].Name]; has {
			schema.Attributes[i].Required = false
		}
	}
	return schema
}
