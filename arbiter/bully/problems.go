package bully

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/status"
)

// problems is what is wrong at present, by name, for messages and the probe.
type problems struct {
	mu      sync.Mutex
	now     map[string]string
	away    map[string]absence // voters that are not reached, and why
	waiting string             // what a blank voter waits for
}

// absence is why a voter is not reached. One attempt fails in this way and the next
// in another, so what is told stays for a while.
type absence struct {
	latest string
	told   string
	since  time.Time // told
}

// toldFor is how long one reason is told before another one is.
const toldFor = time.Minute

func newProblems() *problems {
	return &problems{now: map[string]string{}, away: map[string]absence{}, waiting: "no other voter has answered yet"}
}

// set reports whether the problem is new, or was different.
func (p *problems) set(name, text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh := p.now[name] != text
	p.now[name] = text
	return fresh
}

func (p *problems) clear(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.now, name)
}

func (p *problems) unreachable(node string, err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := status.Convert(err).Message()
	if i := strings.LastIndex(text, `desc = "`); i >= 0 {
		text = strings.TrimSuffix(text[i+len(`desc = "`):], `"`)
	}
	a := p.away[node]
	a.latest = text
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
func (p *problems) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p.now)) {
		all = append(all, p.now[name])
	}
	for _, node := range slices.Sorted(maps.Keys(p.away)) {
		all = append(all, node+" does not answer: "+p.away[node].told)
	}
	return all
}
