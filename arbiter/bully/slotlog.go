package bully

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/electd/electd/arbiter/bully/register"
)

// slotLog is the file with a voter's slots: a line for each change, the last one
// of a key counts. Changes that come together cost one fsync. Now and then, and
// at every start, it is written anew with what counts.
//
// A line is the SHA-256 of the rest, a space, and a slotLine. What follows the
// last line break is a write that a crash cut short: it was never answered. Any
// other fault means that promises are lost.
type slotLog struct {
	path string
	file *os.File
	live map[string]register.Slot // what counts
	size int64
	full int64 // size at which it is written anew
}

type slotLine struct {
	Key                string
	Promised, Accepted register.Ballot
	Version            string
	Record             []byte
}

// spare is how far the log may outgrow four times what counts in it.
const spare = 1 << 20

// openSlotLog reads the log at path. A missing one is empty where it may be
// missing.
func openSlotLog(path string, mayBeMissing bool) (*slotLog, error) {
	l := &slotLog{path: path, live: map[string]register.Slot{}}
	content, err := os.ReadFile(path)
	switch {
	case err == nil:
		err = l.read(content)
	case errors.Is(err, fs.ErrNotExist) && mayBeMissing:
		err = nil
	case errors.Is(err, fs.ErrNotExist):
		err = lost(path, "is missing")
	}
	if err != nil {
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
	for {
		line, rest, whole := bytes.Cut(content, []byte("\n"))
		if !whole {
			return nil // whatever there is of a last line was never answered
		}
		content = rest
		sum, body, _ := bytes.Cut(line, []byte(" "))
		var s slotLine
		if string(sum) != checksum(body) || json.Unmarshal(body, &s) != nil {
			return lost(l.path, "is damaged")
		}
		l.live[s.Key] = register.Slot{
			Promised: s.Promised, Accepted: s.Accepted,
			Value: register.Value{Version: s.Version, Record: string(s.Record)},
		}
	}
}

func encodeSlots(slots map[string]register.Slot) ([]byte, error) {
	var lines bytes.Buffer
	for key, s := range slots {
		body, err := json.Marshal(slotLine{
			Key: key, Promised: s.Promised, Accepted: s.Accepted, Version: s.Value.Version, Record: []byte(s.Value.Record),
		})
		if err != nil {
			return nil, err
		}
		lines.WriteString(checksum(body))
		lines.WriteByte(' ')
		lines.Write(body)
		lines.WriteByte('\n')
	}
	return lines.Bytes(), nil
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
	return l.file.Sync()
}

// rewrite puts a log with what counts in the place of the present one.
func (l *slotLog) rewrite() error {
	lines, err := encodeSlots(l.live)
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
