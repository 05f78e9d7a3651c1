package bully

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// problems is what is wrong at present, by name, for messages and the probe.
type problems struct {
	mu      sync.Mutex
	now     map[string]string
	events  map[string]event // what was seen of late and ends by not being seen
	logged  map[string]time.Time
	away    map[string]absence // voters that are not reached, and why
	waiting string             // what a blank voter waits for
}

// event is a problem that is noticed when somebody calls or sends: nobody tells that
// it is over.
type event struct {
	text string
	last time.Time
}

// absence is why a voter is not reached. One attempt fails in this way and the next
// in another, so what is told stays for a while.
type absence struct {
	latest  string
	refuses bool // it answers, and refuses
	told    string
	since   time.Time // told
}

// toldFor is how long one reason is told before another one is, how long an event
// counts, and how long what comes and goes is not logged again.
const toldFor = time.Minute

func newProblems() *problems {
	return &problems{now: map[string]string{}, events: map[string]event{}, logged: map[string]time.Time{}, away: map[string]absence{}, waiting: "no other voter has answered yet"}
}

// set notes a problem that lasts until it is cleared.
func (p *problems) set(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now[name] = text
}

// happened notes a problem that is over once it has not been noted for a while.
func (p *problems) happened(name, text string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events[name] = event{text: text, last: now}
}

// toLog reports whether a line is to be logged: it was not, and would not have been,
// for a while. One that comes again and again is logged once.
func (p *problems) toLog(line string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.logged, func(_ string, last time.Time) bool { return now.Sub(last) >= toldFor })
	_, often := p.logged[line]
	p.logged[line] = now
	return !often
}

func (p *problems) clear(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.now, name)
	delete(p.events, name)
}

func (p *problems) unreachable(node string, err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := status.Convert(err).Message()
	if i := strings.LastIndex(text, `desc = "`); i >= 0 {
		text = strings.TrimSuffix(text[i+len(`desc = "`):], `"`)
	}
	a := p.away[node]
	a.latest, a.refuses = text, status.Code(err) == codes.PermissionDenied
	if a.told == "" || now.Sub(a.since) >= toldFor {
		a.told, a.since = text, now
	}
	p.away[node] = a
}

func (p *problems) reachable(node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.away, node)
}

func (p *problems) whyUnreachable(node string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away[node].latest
}

// refuses reports whether a voter that is not reached did answer, and refused.
func (p *problems) refuses(node string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away[node].refuses
}

func (p *problems) setAdmission(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = text
}

func (p *problems) admission() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting
}

// list returns every problem, in the order of their names.
func (p *problems) list(now time.Time) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.events, func(_ string, e event) bool { return now.Sub(e.last) >= toldFor })
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p.events)) {
		all = append(all, p.events[name].text)
	}
	for _, name := range slices.Sorted(maps.Keys(p.now)) {
		all = append(all, p.now[name])
	}
	for _, node := range slices.Sorted(maps.Keys(p.away)) {
		what := " does not answer: "
		if p.away[node].refuses {
			what = " refuses to answer: "
		}
		all = append(all, node+what+p.away[node].told)
	}
	return all
}
