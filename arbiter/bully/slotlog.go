package bully

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/electd/electd/arbiter/bully/register"
)

// slotLog is the file with a voter's slots: a line for each change, the last one
// of a key counts. Changes that come together cost one fsync. Now and then, and
// at every start, it is written anew with what counts.
//
// A line is the SHA-256 of the rest, a space, and a JSON value: first a slotHead,
// then slotLines. What follows the last line break, if it is the beginning of a line,
// is a write that a crash cut short: it was never answered. Any other fault means
// that promises are lost.
type slotLog struct {
	path string
	file *os.File
	live map[string]register.Slot // what counts
	size int64
	full int64 // size at which it is written anew
}

// slotHead begins a log: with it, an emptied file or one that was cut within what
// the last rewriting put there is no log. It is never cut by a crash, for a log is
// put in its place whole.
type slotHead struct {
	Format string // slotFormat
	Lines  int    // that the log was written anew with
}

const slotFormat = "electd bully slots 1"

type slotLine struct {
	Key                string
	Promised, Accepted register.Ballot
	Version            string
	Record             []byte
}

// spare is how far the log may outgrow four times what counts in it.
const spare = 1 << 20

// newSlotLog puts an empty log at path, in the place of what is there.
func newSlotLog(path string) (*slotLog, error) {
	l := &slotLog{path: path, live: map[string]register.Slot{}}
	return l, l.rewrite()
}

// openSlotLog reads the log at path, which has to be there.
func openSlotLog(path string) (*slotLog, error) {
	l := &slotLog{path: path, live: map[string]register.Slot{}}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lost(path, "is missing")
	}
	if err != nil {
		return nil, err
	}
	if err := l.read(content); err != nil {
		return nil, err
	}
	return l, l.rewrite()
}

// lost is the error for a file that has to be there, whole.
func lost(path, how string) error {
	return wrong("data_dir", fmt.Sprintf("%s %s: this voter's promises are lost", path, how),
		"stop this node, remove "+filepath.Dir(path)+" (this directory alone, never the node's whole data_dir) and start it again: the other voters then admit it anew", nil)
}

func (l *slotLog) read(content []byte) error {
	first, content, _ := bytes.Cut(content, []byte("\n"))
	var head slotHead
	if !decodeLine(first, &head) || head.Format != slotFormat {
		return lost(l.path, "is damaged")
	}
	for n := 0; ; n++ {
		line, rest, whole := bytes.Cut(content, []byte("\n"))
		content = rest
		var s slotLine
		switch isLine := decodeLine(line, &s); {
		case !whole && n < head.Lines:
			return lost(l.path, "was cut short")
		case !whole && !isLine && beginsLine(line):
			return nil // it was never answered
		case !isLine:
			return lost(l.path, "is damaged")
		}
		l.live[s.Key] = register.Slot{
			Promised: s.Promised, Accepted: s.Accepted,
			Value: register.Value{Version: s.Version, Record: string(s.Record)},
		}
		if !whole {
			return nil // all but its line break is there: it may as well count
		}
	}
}

// decodeLine reports whether a line, without its line break, is whole.
func decodeLine(line []byte, to any) bool {
	sum, body, _ := bytes.Cut(line, []byte(" "))
	return string(sum) == checksum(body) && json.Unmarshal(body, to) == nil
}

// beginsLine reports whether there are bytes with which b would become a line: a
// crash leaves nothing else behind.
func beginsLine(b []byte) bool {
	sum, body, _ := bytes.Cut(b, []byte(" "))
	if len(sum) > sumLength || len(sum) < sumLength && len(sum) < len(b) || bytes.ContainsFunc(sum, notHex) {
		return false
	}
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(body)).Decode(&value)
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

const sumLength = 2 * sha256.Size

func notHex(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }

// encodeLog returns a whole log.
func encodeLog(slots map[string]register.Slot) ([]byte, error) {
	head, err := encodeLine(slotHead{Format: slotFormat, Lines: len(slots)})
	if err != nil {
		return nil, err
	}
	lines, err := encodeSlots(slots)
	return append(head, lines...), err
}

func encodeSlots(slots map[string]register.Slot) ([]byte, error) {
	var lines []byte
	for key, s := range slots {
		line, err := encodeLine(slotLine{
			Key: key, Promised: s.Promised, Accepted: s.Accepted, Version: s.Value.Version, Record: []byte(s.Value.Record),
		})
		if err != nil {
			return nil, err
		}
		lines = append(lines, line...)
	}
	return lines, nil
}

func encodeLine(value any) ([]byte, error) {
	body, err := json.Marshal(value)
	return fmt.Appendf(nil, "%s %s\n", checksum(body), body), err
}

// save returns once the slots are on disk. After an error nothing is known of
// what is there, and it must not be called again.
func (l *slotLog) save(slots map[string]register.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	for key, s := range slots {
		l.live[key] = s
	}
	if l.size > l.full {
		return l.rewrite()
	}
	lines, err := encodeSlots(slots)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(lines); err != nil {
		return err
	}
	l.size += int64(len(lines))
	if err := l.file.Sync(); err != nil {
		return err
	}
	return l.inPlace()
}

// inPlace returns an error if the file written to is no longer the one at path:
// what is written there would be lost with this process.
func (l *slotLog) inPlace() error {
	open, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.path)
	if err != nil {
		return err
	}
	if !os.SameFile(open, there) {
		return fmt.Errorf("%s was replaced", l.path)
	}
	return nil
}

// rewrite puts a log with what counts in the place of the present one.
func (l *slotLog) rewrite() error {
	lines, err := encodeLog(l.live)
	if err != nil {
		return err
	}
	if err := replaceFile(l.path, lines); err != nil {
		return err
	}
	if err := l.close(); err != nil {
		return err
	}
	l.size = int64(len(lines))
	l.full = spare + 4*l.size
	l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o600)
	return err
}

func (l *slotLog) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// replaceFile writes a file beside the present one, and then puts it in its place.
func replaceFile(path string, content []byte) error {
	if err := writeSynced(path+".new", content); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
