package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
)

// message is one server-sent event, or a sign of life if it has no data.
type message struct {
	id, name, data string
}

// maxLine bounds a line of the stream, and the data of a message.
const maxLine = 1 << 20

var errTooLong = fmt.Errorf("the event stream: a message is longer than %d bytes", maxLine)

// messages reads the messages of a stream of server-sent events, in the format
// of the HTML standard. A message that is cut off is not delivered.
func messages(r io.Reader) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		var m message
		var data []byte
		for lines.Scan() {
			line := lines.Text()
			if line == "" {
				m.data = string(bytes.TrimSuffix(data, []byte("\n")))
				if !yield(m, nil) {
					return
				}
				m, data = message{}, data[:0]
				continue
			}
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				m.id = value
			case "event":
				m.name = value
			case "data":
				if data = append(append(data, value...), '\n'); len(data) > maxLine {
					yield(message{}, errTooLong)
					return
				}
			}
		}
		if err := lines.Err(); err != nil {
			yield(message{}, err)
		}
	}
}

// event returns what a message tells; known is false for a sign of life and for
// what a newer daemon may tell.
func (m message) event() (e Event, known bool, err error) {
	e.ID = m.id
	var into any
	switch m.name {
	case "transition":
		e.Transition = &Transition{}
		into = e.Transition
	case "missed":
		e.Missed = &Missed{}
		into = e.Missed
	default:
		return Event{}, false, nil
	}
	if err := json.Unmarshal([]byte(m.data), into); err != nil {
		return Event{}, false, fmt.Errorf("the daemon's event %q: %w", m.id, err)
	}
	return e, true, nil
}
