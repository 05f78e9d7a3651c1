// Package logline turns what a process prints into lines of a log.
package logline

import (
	"bytes"
	"strings"
	"sync"
)

// longest is where a line is cut, so that a process cannot fill memory.
const longest = 8 << 10

// Writer calls Emit for every line written to it, without its end. It may be
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
	w.Emit(strings.ToValidUTF8(line, "\uFFFD"))
}
