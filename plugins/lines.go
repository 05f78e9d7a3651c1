package plugins

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxLine is how much of one line a plugin prints is kept, in bytes.
const maxLine = 8 << 10

// eachLine reads r to its end and hands over line by line, without the line
// feed. Of a line longer than maxLine the rest is read and dropped, so that a
// plugin that prints without end never waits for its host.
func eachLine(r io.Reader, handle func(line string)) {
	reader := bufio.NewReaderSize(r, maxLine)
	for {
		part, more, err := reader.ReadLine()
		if err != nil {
			return
		}
		line, dropped := string(part), 0
		for more && err == nil {
			part, more, err = reader.ReadLine()
			dropped += len(part)
		}
		if dropped > 0 {
			line += fmt.Sprintf(cut+" (%d more bytes)", dropped)
		}
		handle(strings.ToValidUTF8(line, "\uFFFD"))
	}
}

// lineWriter is an io.Writer that hands over whole lines, for what a plugin
// prints through go-plugin's own stream.
type lineWriter struct{ pipe *io.PipeWriter }

func newLineWriter(handle func(line string)) *lineWriter {
	r, w := io.Pipe()
	go eachLine(r, handle)
	return &lineWriter{pipe: w}
}

func (w *lineWriter) Write(p []byte) (int, error) { return w.pipe.Write(p) }
func (w *lineWriter) Close() error                { return w.pipe.Close() }
