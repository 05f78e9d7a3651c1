package config

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/electd/electd/plugins"
)

// secretLine matches a line that sets what by its name is a secret. It is used
// beside the schema: a file that does not parse has no schema to go by.
var secretLine = regexp.MustCompile(`(?im)^[ \t]*[\w-]*(secret|passw|passphrase|token|credential|key)[\w-]*[ \t]*=[ \t]*(.*)$`)

// notSecret matches names that secretLine takes for secrets but that only say
// where one is.
var notSecret = regexp.MustCompile(`(?i)^[ \t]*[\w-]*_file[ \t]*=`)

// redacted returns the files with every secret blanked, for showing source
// lines. Nothing moves: a blanked byte is a star. A file that is no text is left
// out.
func (s *source) redacted() map[string]*hcl.File {
	shown := map[string]*hcl.File{}
	for name, file := range s.files {
		if !showable(file.Bytes) {
			continue
		}
		text := bytes.Clone(file.Bytes)
		for _, at := range secretLine.FindAllSubmatchIndex(text, -1) {
			if !notSecret.Match(text[at[0]:at[1]]) {
				blank(text[at[4]:at[5]])
			}
		}
		if s.undecoded.body != nil && s.undecoded.schema != nil {
			blankSensitive(text, s.undecoded.body, *s.undecoded.schema)
		}
		copied := *file
		copied.Bytes = text
		shown[name] = &copied
	}
	return shown
}

// maxShownLine is the longest line of a file whose lines are shown.
const maxShownLine = 2000

// showable tells whether a file's lines may be shown: what is no text garbles a
// terminal, or runs it.
func showable(text []byte) bool {
	unprintable := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r)
	}
	if bytes.ContainsFunc(text, unprintable) {
		return false
	}
	for line := range bytes.Lines(text) {
		if len(line) > maxShownLine {
			return false
		}
	}
	return true
}

// blankSensitive blanks the values of a body's sensitive attributes in text.
func blankSensitive(text []byte, body *hclsyntax.Body, schema plugins.Schema) {
	for name, attr := range body.Attributes {
		if a := schema.Find(name); a != nil && a.Sensitive {
			blank(attr.Expr.Range().SliceBytes(text))
		}
	}
	for _, inside := range body.Blocks {
		if a := schema.Find(inside.Type); a != nil && a.Block != nil {
			blankSensitive(text, inside.Body, *a.Block)
		}
	}
}

func blank(text []byte) {
	for i, b := range text {
		if b != '\n' && b != '\r' {
			text[i] = '*'
		}
	}
}
