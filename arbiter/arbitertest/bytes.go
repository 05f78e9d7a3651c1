package arbitertest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/electd/electd/core"
)

// corruptNotVacant stores what is no record. The arbiter may refuse that, may
// call it corrupt, may return it; it may not call it vacant.
func corruptNotVacant(x *exam) {
	a, b := x.open(), x.open()
	for n, record := range []string{`{"format":1,"election":"conf`, "null", "<html>503</html>", "\x00\x00\x00\x00", ""} {
		key := x.key(n)
		_, err := x.swap(a, core.Swap{Key: key, Record: []byte(record)})
		if refused := core.WriteOutcome(err); refused == core.Invalid || refused == core.Corrupt {
			continue
		}
		if err != nil {
			x.failf("storing %q: %v", record, err)
			continue
		}
		ctx, cancel := x.timed()
		s, err := x.look(ctx, b, key)
		cancel()
		switch {
		case errors.Is(err, core.ErrCorrupt):
		case err != nil:
			x.failf("%q is stored, and reading it gives: %v", record, err)
		case s.Version == "":
			x.failf("%q is stored, and is read as vacant", record)
		case string(s.Record) != record:
			x.failf("%q is stored, and is read as %.80q", record, s.Record)
		}
	}
}

// oddBytes stores bytes that an intermediary might be tempted to change.
func oddBytes(x *exam) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	records := []string{
		string(every),
		"\xff\xfe\xc3\x28 not UTF-8",
		"line\r\nline\nline\rline\x00end",
		"  \t leading and trailing blanks \n\n",
		"\xef\xbb\xbf{\"byte order\":\"mark\"}",
		"\x1f\x8b\x08\x00 looks compressed",
		"<?xml version=\"1.0\"?><a/>",
		"x",
	}
	x.keepsBytes(records)
}

// largeRecord stores records around the sizes at which buffers end.
func largeRecord(x *exam) {
	var records []string
	for _, size := range []int{1000, 4095, 4096, 4097, 16 << 10, 32<<10 + 1, 64<<10 - 1, 64 << 10} {
		frame := `{"format":1,"padding":""}`
		var padding strings.Builder
		for padding.Len() < size-len(frame) {
			padding.WriteString(rand.Text())
		}
		records = append(records, fmt.Sprintf(`{"format":1,"padding":%q}`, padding.String()[:size-len(frame)]))
	}
	x.keepsBytes(records)
}

// keepsBytes stores each record under a key of its own and reads it from another
// client.
func (x *exam) keepsBytes(records []string) {
	a, b := x.open(), x.open()
	for n, record := range records {
		v := x.write(a, x.key(n), "", []byte(record))
		s := x.read(b, x.key(n))
		switch {
		case s.Version != v:
			x.failf("%d bytes: read version %q after %q was written", len(record), s.Version, v)
		case len(s.Record) != len(record):
			x.failf("%d bytes were written and %d read", len(record), len(s.Record))
		case !bytes.Equal(s.Record, []byte(record)):
			x.failf("%d bytes were changed: %s", len(record), firstDifference(record, string(s.Record)))
		}
	}
}

// firstDifference shows two strings of one length from where they differ.
func firstDifference(a, b string) string {
	i := 0
	for a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on, %.20q became %.20q", i, a[i:], b[i:])
}
