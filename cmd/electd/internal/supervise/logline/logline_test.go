package logline_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		written []string
		want    []string
	}{
		{"whole lines", []string{"a\nb\n"}, []string{"a", "b"}},
		{"pieces", []string{"a", "b\nc", "\n"}, []string{"ab", "c"}},
		{"no end", []string{"a\nb"}, []string{"a", "b"}},
		{"empty lines", []string{"\n\na\n"}, []string{"", "", "a"}},
		{"carriage returns", []string{"a\r\nb\r\n"}, []string{"a", "b"}},
		{"not UTF-8", []string{"a\xffb\n"}, []string{"a\uFFFDb"}},
		{"what acts on a terminal", []string{"\x1b[2Ja\x00\u009b31m\rb\u202ec\td\n"}, []string{`\x1b[2Ja\x00\u009b31m\rb\u202ec` + "\td"}},
		{"nothing", nil, nil},
		{"a very long line", []string{strings.Repeat("x", 20<<10) + "\nend\n"},
			[]string{strings.Repeat("x", 8<<10), strings.Repeat("x", 8<<10), strings.Repeat("x", 4<<10), "end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			w := &logline.Writer{Emit: func(l string) { got = append(got, l) }}
			for _, s := range c.written {
				if n, err := io.WriteString(w, s); n != len(s) || err != nil {
					t.Fatalf("wrote %d of %d: %v", n, len(s), err)
				}
			}
			w.Close()
			w.Close()
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
