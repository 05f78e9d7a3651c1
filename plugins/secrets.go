package plugins

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// secrets hides the values of sensitive attributes in everything a plugin
// prints or says. The zero value knows none.
type secrets struct {
	known atomic.Pointer[known]
}

// known is what must not be shown, longest first, and what replaces it.
type known struct {
	forms    []string
	replacer *strings.Replacer
}

const (
	hidden = "(sensitive)"
	// leastSecret is how many bytes are worth hiding: fewer would hide half the log
	// and protect nothing.
	leastSecret = 4
)

// know learns which values are not to be shown.
func (s *secrets) know(schema Schema, values Values) {
	var forms []string
	for _, secret := range secretsOf(schema, values) {
		forms = append(forms, formsOf(secret)...)
	}
	forms = slices.DeleteFunc(forms, func(form string) bool { return len(form) < leastSecret })
	// Longest first: one that begins another must not leave the other's rest.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	forms = slices.Compact(forms)
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, hidden)
	}
	s.known.Store(&known{forms: forms, replacer: strings.NewReplacer(pairs...)})
}

// formsOf returns a secret as it is, its lines one by one, and the usual ways to
// write it.
func formsOf(secret string) []string {
	if len(secret) < leastSecret {
		return nil
	}
	forms := []string{secret, strings.TrimSpace(secret)}
	for line := range strings.Lines(secret) {
		forms = append(forms, strings.TrimRight(line, "\r\n"), strings.TrimSpace(line))
	}
	for _, form := range slices.Clone(forms) {
		quoted := strconv.Quote(form)
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	raw := []byte(secret)
	return append(forms,
		url.QueryEscape(secret), url.PathEscape(secret),
		hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
		base64.RawStdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	)
}

// hide makes a plugin's text fit to be shown: without secrets, and printable.
func (s *secrets) hide(text string) string {
	if k := s.known.Load(); k != nil {
		text = k.hideCut(k.replacer.Replace(text))
	}
	return printable(text)
}

// cut is what stands where a text was cut off.
const cut = "…"

// hideCut hides the beginning of a secret before the place where a text was cut.
func (k *known) hideCut(text string) string {
	at := strings.LastIndex(text, cut)
	if at < 0 {
		return text
	}
	before := strings.TrimRight(text[:at], "\uFFFD")
	for n := min(len(before), k.longest()-1); n >= leastSecret; n-- {
		end := before[len(before)-n:]
		if slices.ContainsFunc(k.forms, func(form string) bool { return strings.HasPrefix(form, end) }) {
			return before[:len(before)-n] + hidden + text[at:]
		}
	}
	return text
}

func (k *known) longest() int {
	if len(k.forms) == 0 {
		return 0
	}
	return len(k.forms[0])
}

// printable writes what could act on a terminal or begin a line of its own as an
// escape: a plugin's text stays one line of text.
func printable(text string) string {
	harmless := func(r rune) bool { return r == '\t' || strconv.IsPrint(r) }
	if !strings.ContainsFunc(text, func(r rune) bool { return !harmless(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if harmless(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
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
