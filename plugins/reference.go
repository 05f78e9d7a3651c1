package plugins

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Reference returns a schema's attributes as rows of a Markdown table, a block's
// own with their path. Its columns are attribute, type, default and meaning.
func Reference(s Schema) string {
	var text strings.Builder
	text.WriteString("| attribute | type | default | meaning |\n|---|---|---|---|\n")
	writeRows(&text, "", s)
	return text.String()
}

func writeRows(text *strings.Builder, path string, s Schema) {
	for _, a := range s.Attributes {
		kind := a.Type.String()
		if a.Sensitive {
			kind += ", sensitive"
		}
		fmt.Fprintf(text, "| `%s%s` | %s | %s | %s |\n", path, a.Name, kind, defaultText(a), strings.ReplaceAll(a.Doc, "|", `\|`))
		if a.Block != nil {
			writeRows(text, path+a.Name+".", *a.Block)
		}
	}
}

func defaultText(a Attribute) string {
	switch v := a.Default.(type) {
	case nil:
		if a.Required {
			return "required"
		}
		return ""
	case time.Duration:
		return "`" + shortDuration(v) + "`"
	case []string:
		return "`" + strings.Join(v, ", ") + "`"
	case map[string]string:
		return "`" + strings.Join(slices.Sorted(maps.Keys(v)), ", ") + "`"
	}
	return fmt.Sprintf("`%v`", a.Default)
}

// shortDuration is a duration as people write it: 2m, not 2m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, tail) {
			text = text[:len(text)-2]
		}
	}
	return text
}
