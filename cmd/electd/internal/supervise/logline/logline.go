// Package logline turns what a process prints into lines of a log.
package logline

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// longest is where a line is cut, so that a process cannot fill memory.
const longest = 8 << 10

// Writer calls Emit for every line written to it, without its end and with what
// is not printable as an escape. It may be
// used by several goroutines; Emit is called by one at a time.
type Writer struct {
	Emit func(line string)

	mu   sync.Mutex
	rest []byte
}

// Write never fails.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for left := p; len(left) > 0; {
		line, after, whole := bytes.Cut(left, []byte("\n"))
		if room := longest - len(w.rest); len(line) > room {
			line, after, whole = left[:room], left[room:], true
		}
		w.rest = append(w.rest, line...)
		left = after
		if whole {
			w.flush()
		}
	}
	return len(p), nil
}

// Close emits what was not ended by a newline. The Writer may be used on.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.flush()
	}
	return nil
}

func (w *Writer) flush() {
	line := strings.TrimSuffix(string(w.rest), "\r")
	w.rest = w.rest[:0]
	w.Emit(printable(strings.ToValidUTF8(line, "\uFFFD")))
}

// printable writes what could act on a terminal or begin a line of its own as an
// escape: what a process prints stays one line of text.
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
