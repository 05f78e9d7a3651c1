package s3

import (
	"strings"
	"sync"

	"github.com/electd/electd/core"
)

// version makes a Version of an ETag as the store sent it. Stores send the same
// tag with or without quotes, so the quotes are not part of the Version. Empty
// and weak tags identify nothing and give the zero Version.
func version(etag string) core.Version {
	if strings.HasPrefix(etag, "W/") || strings.HasPrefix(etag, "w/") {
		return ""
	}
	if len(etag) >= 2 && etag[0] == '"' && etag[len(etag)-1] == '"' {
		etag = etag[1 : len(etag)-1]
	}
	return core.Version(etag)
}

// form is how If-Match carries an ETag.
type form string

const (
	quoted   form = "quoted" // as RFC 9110 says
	unquoted form = "unquoted"
)

// apply writes a Version the way f says.
func (f form) apply(v core.Version) string {
	if f == unquoted {
		return string(v)
	}
	return `"` + string(v) + `"`
}

func (f form) other() form {
	if f == quoted {
		return unquoted
	}
	return quoted
}

// formLearner finds out which form a store understands. A swap that was refused
// although a later read shows the very version it expected was not understood;
// the other form is tried next. The first swap that succeeds pins the form.
type formLearner struct {
	mu      sync.Mutex
	form    form
	pinned  bool
	count   uint64 // of refusals
	refused map[string]refusal
}

// refusal is a swap of one key that met a conflict in the present form.
type refusal struct {
	expected core.Version
	number   uint64
}

// newFormLearner starts from the configured form; "auto" starts from quoted.
func newFormLearner(configured string) *formLearner {
	l := &formLearner{form: quoted, refused: map[string]refusal{}}
	if configured != "auto" {
		l.form, l.pinned = form(configured), true
	}
	return l
}

func (l *formLearner) current() (f form, pinned bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.form, l.pinned
}

// succeeded notes that a swap in form f was applied.
func (l *formLearner) succeeded(f form) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pinned {
		l.form, l.pinned = f, true
		clear(l.refused)
	}
}

// wasRefused notes that a swap of key in form f that expected v met a conflict.
func (l *formLearner) wasRefused(f form, key string, v core.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pinned && f == l.form {
		l.count++
		l.refused[key] = refusal{expected: v, number: l.count}
	}
}

// refusals returns how many there were; a read calls it before it starts.
func (l *formLearner) refusals() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// saw notes that a read of key found v. The read started after the given number
// of refusals; what was refused later it says nothing about.
func (l *formLearner) saw(key string, v core.Version, refusals uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.refused[key]
	if l.pinned || !ok || r.number > refusals {
		return
	}
	delete(l.refused, key)
	if r.expected == v {
		l.form = l.form.other()
		clear(l.refused)
	}
}
