package plugins

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

// knowing knows secrets that were given in this order.
func knowing(values ...string) *secrets {
	s := &secrets{}
	s.know(Schema{Attributes: []Attribute{{Name: "list", Type: TypeStringList, Sensitive: true}}}, Values{"list": values})
	return s
}

func TestSecretsInEveryForm(t *testing.T) {
	const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n"
	const odd = `p&ss "w/rd"`
	for _, c := range []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"one begins another, shorter first", []string{"hunter22", "hunter22-and-more"}, "it is hunter22-and-more.", "it is (sensitive)."},
		{"one begins another, longer first", []string{"hunter22-and-more", "hunter22"}, "hunter22 or hunter22-and-more", "(sensitive) or (sensitive)"},
		{"one ends another", []string{"more-hunter22", "hunter22"}, "more-hunter22", "(sensitive)"},
		{"all lines", []string{pem}, "key: " + pem + "!", "key: (sensitive)!"},
		{"one line", []string{pem}, "MIIEvQIBADANBg", "(sensitive)"},
		{"lines of Windows", []string{strings.ReplaceAll(pem, "\n", "\r\n")}, "MIIEvQIBADANBg", "(sensitive)"},
		{"escaped line feeds", []string{pem}, fmt.Sprintf("%q", pem), `"(sensitive)"`},
		{"quoted", []string{odd}, fmt.Sprintf("%q", odd), `"(sensitive)"`},
		{"in a query", []string{odd}, "?token=" + url.QueryEscape(odd) + "&x=1", "?token=(sensitive)&x=1"},
		{"in a path", []string{odd}, "/" + url.PathEscape(odd) + "/x", "/(sensitive)/x"},
		{"hexadecimal", []string{odd}, hex.EncodeToString([]byte(odd)), "(sensitive)"},
		{"HEXADECIMAL", []string{odd}, fmt.Sprintf("%X", odd), "(sensitive)"},
		{"base64", []string{"abcdefgh"}, base64.StdEncoding.EncodeToString([]byte("abcdefgh")), "(sensitive)="},
		{"cut", []string{"hunter22-and-more"}, "it is hunter22-a… (12 more bytes)", "it is (sensitive)… (12 more bytes)"},
		{"cut in a letter", []string{"hunter22-\u00e4"}, "it is hunter22-\uFFFD…", "it is (sensitive)…"},
		{"too short to hide", []string{"abc"}, "abc", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := knowing(c.secrets...).hide(c.text); got != c.want {
				t.Errorf("shown as %q, want %q", got, c.want)
			}
		})
	}
}

// said is the log of what a plugin with a secret prints to standard error.
func said(secret, text string) string {
	var log strings.Builder
	o := output{log: hclog.New(&hclog.LoggerOptions{Output: &log, DisableTime: true}), secrets: knowing(secret)}
	eachLine(strings.NewReader(text), o.stderr)
	return log.String()
}

// A secret is not shown in part because the line was cut in it.
func TestALineIsNotCutInASecret(t *testing.T) {
	const secret = "a-secret-of-many-letters"
	for before := maxLine - len(secret) - 2; before < maxLine-3; before++ {
		got := said(secret, strings.Repeat("x", before)+secret+strings.Repeat("y", 100)+"\n")
		if strings.Contains(got, secret[:leastSecret]) || !strings.Contains(got, hidden) {
			t.Fatalf("%d bytes before it: %s", before, got[len(got)-80:])
		}
	}
}

// What a plugin prints or says acts on no terminal and forges no line.
func TestPluginTextIsOnePrintableLine(t *testing.T) {
	const evil = "a\x1b[2J\x07\rb\x00\u202e\u009b\n[ERROR] forged\tend"
	const want = `a\x1b[2J\a\rb\x00\u202e\u009b\n[ERROR] forged` + "\tend"
	if got := knowing().hide(evil); got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	if got := new(secrets).hide(evil); got != want {
		t.Errorf("shown as %q before it is configured, want %q", got, want)
	}
	if got := knowing().hide("Zürich, 東京 ✓"); got != "Zürich, 東京 ✓" {
		t.Errorf("letters are shown as %q", got)
	}
	for name, text := range map[string]string{
		"plain":          "a\x1b[2J\rb\x00",
		"JSON's message": `{"msg":"a\u001b[2J\nforged"}`,
		"JSON's value":   `{"msg":"m","v":"a\u001b[2J\nforged"}`,
		"JSON's key":     `{"msg":"m","a\u001b[2J\nforged":"v"}`,
		"nested":         `{"msg":"m","v":{"a":"\u001b[2J\nforged"}}`,
	} {
		got := said("", text+"\n")
		if strings.ContainsAny(got, "\x1b\r\x00") || strings.Count(got, "\n") != 1 || !strings.Contains(got, "[2J") {
			t.Errorf("%s: logged as %q", name, got)
		}
	}
}

// A number that is a secret is none the less hidden in a structured line.
func TestSecretNumberInJSON(t *testing.T) {
	if got := said("123456789012", `{"msg":"m","pin":123456789012}`+"\n"); strings.Contains(got, "1234") || !strings.Contains(got, hidden) {
		t.Errorf("logged as %q", got)
	}
}

// The beginning of a panic is remembered, not the end of its trace.
func TestPanicIsQuotedFromItsBeginning(t *testing.T) {
	o := output{log: hclog.NewNullLogger(), secrets: &secrets{}}
	eachLine(strings.NewReader("before\npanic: oh no\n"+strings.Repeat("trace\n", 40)), o.stderr)
	if got := o.lastWords(); !strings.HasPrefix(got, "panic: oh no | trace | ") {
		t.Errorf("its last words are %q", got)
	}
}
