package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// quoteless is a configuration whose sixth line is to be put in.
const quoteless = `node { id = "db-a" }
arbiter "s3" {
  bucket = "b"
}
transport {
%s
  insecure = true
}
election "orders" {
  run {
    command = ["./worker"]
  }
}
`

// A forgotten quote is one message, where it is missing, whatever stands there and
// however lines end.
func TestForgottenQuotes(t *testing.T) {
	for line, want := range map[string]string{
		`  listen = 10.0.0.1:7400`:           `6:12: Text without quotes: Write listen = "10.0.0.1:7400".`,
		`  listen = 10.0.0.1:7400"`:          `6:12: Text without quotes: Write listen = "10.0.0.1:7400".`,
		`  listen = "10.0.0.1:7400`:          `6:12: Text without quotes: Write listen = "10.0.0.1:7400".`,
		`  listen = 10.0.0.1:7400 # office`:  `6:12: Text without quotes: Write listen = "10.0.0.1:7400".`,
		`  listen = [fd00::1]:7400`:          `6:12: Text without quotes: Write listen = "[fd00::1]:7400".`,
		`  listen = fd00::1`:                 `6:12: Text without quotes: Write listen = "fd00::1".`,
		`  listen = db-a.example:7400`:       `6:12: Text without quotes: Write listen = "db-a.example:7400".`,
		`  ca_file = /etc/electd/ca.pem`:     `6:13: Text without quotes: Write ca_file = "/etc/electd/ca.pem".`,
		`  lease = 30s`:                      `6:11: Text without quotes: Write lease = "30s".`,
		"\tkey = s3cr3t!x":                   `6:8: Text without quotes: Put the value of key between quotes (").`,
		`  peer "db-b {`:                     `6:3: A quote is missing: A text that begins in this line`,
		`  peer db-b" {`:                     `6:3: A quote is missing: A text that begins in this line`,
		`  list = ["a, "b"]`:                 `6:3: A quote is missing: A text that begins in this line`,
		`  listen = “10.0.0.1:7400”`:         `6:12: Invalid character: "Curly quotes" are not valid here.`,
		`  listen = '10.0.0.1:7400'`:         `6:12: Invalid character: Single quotes are not valid.`,
		`  list = [./worker]`:                `6:11: Invalid expression:`,
		`  listen = "a:1",`:                  `6:17: Unexpected comma after argument:`,
		"  listen = \"a:1\"\n  listen = 5":   `7:3: Attribute redefined:`,
		"  listen = \"a:1\"\n  listen = \"b": `7:12: Text without quotes: Write listen = "b".`,
	} {
		text := fmt.Sprintf(quoteless, line)
		for ending, written := range map[string]string{`\n`: text, `\r\n`: strings.ReplaceAll(text, "\n", "\r\n"), "BOM": "\ufeff" + text} {
			_, diags := parse("a.hcl", t.TempDir(), []byte(written))
			problems := diags.Problems()
			if len(problems) != 1 {
				t.Errorf("%s (%s): %d messages: %v", line, ending, len(problems), problems)
				continue
			}
			if got := problems[0].String(); !strings.HasPrefix(got, "a.hcl:"+want) {
				t.Errorf("%s (%s):\ngot  %s\nwant a.hcl:%s", line, ending, got, want)
			}
		}
	}
}

// Files that no person wrote are refused in a few short lines, without a byte
// that a terminal would obey, and without reading all of an endless one.
func TestNoText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nothing":   "",
		"long line": strings.Repeat("a", maxConfig/2),
		"too long":  strings.Repeat("a", maxConfig+1),
		"bytes":     "node { id = \"a\x00\xff\xfe\" }",
		"escape":    "node { id = \"\x1b]0;title\x07\" \n",
		"UTF-16":    "\xff\xfen\x00o\x00d\x00e\x00",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refusedShortly(t, path)
	}
	refusedShortly(t, dir)
	refusedShortly(t, "/dev/zero")
	refusedShortly(t, filepath.Join(dir, "missing"))
}

func refusedShortly(t *testing.T, path string) {
	t.Helper()
	_, diags := Load(path)
	if !diags.HasErrors() {
		t.Errorf("%s: accepted", path)
	}
	text := string(written(t, diags))
	if !strings.Contains(text, path) || len(text) > 2000 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x07") {
		t.Errorf("%s: a message of %d bytes: %.300q", path, len(text), text)
	}
}
