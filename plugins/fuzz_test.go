package plugins

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

// logged keeps the lines that are logged.
type logged struct{ lines []string }

func (l *logged) Accept(_ string, _ hclog.Level, message string, pairs ...any) {
	l.lines = append(l.lines, fmt.Sprint(append([]any{message, "\t"}, pairs...)...))
}

// FuzzOutput checks that whatever a plugin prints, each line becomes one line of
// the log that a terminal can show, without the secrets it was given, and that
// what is remembered of it has bounds.
func FuzzOutput(f *testing.F) {
	const secret = `hunter"22`
	for _, seed := range []string{
		"a plain line\n[WARN] by prefix\nERROR:root:as Python prints it\n",
		"time=now level=warn msg=logfmt secret=" + secret + "\n",
		`{"@level":"warn","@message":"by hclog","@timestamp":"now","n":3,"nested":{"a":["hunter\"22"]}}` + "\n",
		`{"time":"now","level":"ERROR","msg":"by slog","hunter\"22":null,"ok":true}` + "\n",
		`{"msg":"cut off: hunter\"22`,
		`{"msg":"first"}} and the rest` + "\n",
		"panic: no way with " + secret + "\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:3\n",
		"\x1b[31mred\x1b[0m\r\n\xff\xfe\n\n",
		strings.Repeat("x", maxLine-6) + secret + "\n",
	} {
		f.Add([]byte(seed))
	}
	s := &secrets{}
	s.know(Schema{Attributes: []Attribute{{Name: "secret", Type: TypeString, Sensitive: true}}}, Values{"secret": secret})
	shown := []string{secret, strconv.Quote(secret)}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, stderr := range []bool{true, false} {
			log := &logged{}
			logger := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off})
			logger.RegisterSink(log)
			o := &output{log: logger, secrets: s}
			handle, n := o.stdout, 0
			if stderr {
				handle = o.stderr
			}
			eachLine(bytes.NewReader(text), func(line string) { n++; handle(line) })
			if want := bytes.Count(text, []byte("\n")); n < want || n > want+1 || len(log.lines) != n {
				t.Fatalf("%d lines of %q became %d in the log", n, text, len(log.lines))
			}
			words := o.lastWords()
			if len(words) > quoted*400 {
				t.Fatalf("%d bytes are quoted: %q", len(words), words)
			}
			for _, line := range append(log.lines, words) {
				for _, form := range shown {
					if strings.Contains(line, form) {
						t.Fatalf("%q is in %q", form, line)
					}
				}
				if line != printable(line) {
					t.Fatalf("not fit for a terminal: %q", line)
				}
			}
		}
	})
}
