package supervise

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
)

// output carries what a program prints to writers that are no files.
type output struct {
	stdout, stderr *os.File // the program's ends
	opened         []*os.File
	readers        []*os.File
	copying        sync.WaitGroup
}

func openOutput(stdout, stderr io.Writer) (*output, error) {
	o := &output{}
	var err error
	if o.stdout, err = o.file(stdout); err == nil {
		o.stderr, err = o.file(stderr)
	}
	if err != nil {
		o.started()
		o.finish(0)
		return nil, err
	}
	return o, nil
}

// file returns the file for the program to write to; nil for the null device.
func (o *output) file(w io.Writer) (*os.File, error) {
	switch w := w.(type) {
	case nil:
		return nil, nil
	case *os.File:
		return w, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.opened = append(o.opened, write)
	o.readers = append(o.readers, read)
	o.copying.Go(func() { drain(w, read) })
	return write, nil
}

// drain copies until the end. A writer that fails must not block the program,
// so the rest is thrown away.
func drain(w io.Writer, from *os.File) {
	if _, err := io.Copy(w, from); err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
		_, _ = io.Copy(io.Discard, from)
	}
	if lines, ok := w.(*logline.Writer); ok {
		lines.Close()
	}
}

// started closes the program's ends, which it has now.
func (o *output) started() {
	for _, f := range o.opened {
		f.Close()
	}
	o.opened = nil
}

// finish returns when everything is copied. Where a process that escaped holds
// the other end open, it does not wait longer than patience.
func (o *output) finish(patience time.Duration) {
	for _, f := range o.readers {
		_ = f.SetReadDeadline(time.Now().Add(patience))
	}
	o.copying.Wait()
	for _, f := range o.readers {
		f.Close()
	}
}
