package plugins

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
)

// output turns what a plugin prints into log lines, and remembers the last of
// them to quote when the plugin fails.
type output struct {
	log     hclog.Logger
	secrets *secrets

	mu     sync.Mutex
	last   []string
	panics bool // the rest of standard error is a stack trace
}

// quoted is how many lines are remembered.
const quoted = 6

func (o *output) stdout(line string) {
	line = o.secrets.hide(line)
	o.remember(line)
	o.log.Info(line, "stream", "stdout")
}

func (o *output) stderr(line string) {
	e := parseLine(line)
	e.hide(o.secrets)
	o.mu.Lock()
	if !o.panics && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
		o.panics, o.last = true, nil // what comes now is to be quoted from its beginning
	}
	o.mu.Unlock()
	o.remember(e.message)
	o.mu.Lock()
	if o.panics && !e.structured {
		e.level = hclog.Error
	}
	o.mu.Unlock()
	o.log.Log(e.level, e.message, e.pairs...)
}

func (o *output) remember(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last) == quoted {
		if o.panics {
			return
		}
		o.last = o.last[1:]
	}
	o.last = append(o.last, shorten(line))
}

// shorten keeps the beginning and the end of a long line.
func shorten(line string) string {
	const head, tail = 200, 80
	if len(line) <= head+tail {
		return line
	}
	return strings.ToValidUTF8(line[:head], "") + " … " + strings.ToValidUTF8(line[len(line)-tail:], "")
}

// lastWords returns the newest lines in one, of a panic the first ones; empty if
// there are none.
func (o *output) lastWords() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last, " | ")
}

type entry struct {
	level      hclog.Level
	message    string
	pairs      []any
	structured bool // it said its level itself
}

func (e *entry) hide(s *secrets) {
	e.message = s.hide(e.message)
	for i, value := range e.pairs {
		if text, ok := value.(string); ok {
			e.pairs[i] = s.hide(text)
		}
	}
}

// parseLine reads the JSON lines of hclog and log/slog and guesses the level of
// plain ones. What says nothing of its level is information.
func parseLine(line string) entry {
	if strings.HasPrefix(line, "{") {
		if e, ok := parseJSONLine(line); ok {
			return e
		}
	}
	e := entry{level: hclog.Info, message: line}
	if m := plainLevel.FindStringSubmatch(line); m != nil {
		e.level = levelNamed(m[1] + m[2])
	}
	return e
}

// plainLevel finds "[WARN] …", "WARNING:root:…" and "… level=warn …".
var plainLevel = regexp.MustCompile(`^\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)[\]: ]|\blevel=(\w+)`)

func levelNamed(name string) hclog.Level {
	switch strings.ToUpper(name) {
	case "TRACE":
		return hclog.Trace
	case "DEBUG":
		return hclog.Debug
	case "WARN", "WARNING":
		return hclog.Warn
	case "ERROR", "CRITICAL", "FATAL":
		return hclog.Error
	}
	return hclog.Info
}

func parseJSONLine(line string) (entry, bool) {
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber() // as it was written
	if decoder.Decode(&fields) != nil {
		return entry{}, false
	}
	if _, err := decoder.Token(); err != io.EOF {
		return entry{}, false // what follows would be lost
	}
	message, ok := firstString(fields, "@message", "msg", "message")
	if !ok {
		return entry{}, false
	}
	level, _ := firstString(fields, "@level", "level")
	e := entry{level: levelNamed(level), message: message, structured: true}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case "@message", "msg", "message", "@level", "level", "@timestamp", "time":
		default:
			e.pairs = append(e.pairs, strings.TrimPrefix(key, "@"), plain(fields[key]))
		}
	}
	return e, true
}

// plain makes text of what is nested and of numbers, so that a secret in it can be
// found.
func plain(value any) any {
	switch value.(type) {
	case map[string]any, []any, json.Number:
		return fmt.Sprint(value)
	}
	return value
}

func firstString(fields map[string]any, keys ...string) (string, bool) {
	for _, key := range keys {
		if text, ok := fields[key].(string); ok {
			return text, true
		}
	}
	return "", false
}
