package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

// explorer searches one grid.
type explorer struct {
	grid     *Grid
	configs  configs
	versions names
	buffers  [32][]core.Action
	deep     int
	canon    canon
	tell     func(string)
	beyond   bool // an epoch beyond the grid's bound was reached: not followed
}

// Report is what a search showed.
type Report struct {
	Grid     string
	States   int
	Levels   []int // by the number of events to get there
	Depth    int   // all traces up to this length were tried
	Complete bool  // there is nothing beyond
	Elapsed  time.Duration
	Failure  *Failure
	Trace    string // the shortest trace to the failure
}

// origin says how a state was reached first.
type origin struct {
	parent uint32
	by     choice
}

// Explore searches a grid breadth first, until nothing is new, a bound is
// reached, an invariant fails, or stop says so.
func Explore(g Grid, stop func() bool) Report {
	x := &explorer{grid: &g, configs: configs{map[[3]string]*core.Config{}}}
	began := time.Now()
	r := Report{Grid: g.Name}
	defer func() { r.Elapsed = time.Since(began) }()
	first, failure := g.begin(x)
	if failure != nil {
		r.Failure = failure
		return r
	}
	s := &search{explorer: x, first: first, seen: newSet(1 << 16), stop: stop, report: &r}
	s.run()
	r.Elapsed = time.Since(began)
	return r
}

// search is a breadth-first search under way. States are numbered in the order
// in which they are found; of each only its origin is kept, and its hash.
type search struct {
	*explorer
	first   *world
	seen    *set
	origins []origin
	stop    func() bool
	report  *Report

	at      *world // the state that is expanded
	next    world
	kept    []*kept // the states on the way to it, the first of all before them
	reached int     // how many of them
	way     []uint32
	list    []choice
}

// kept is a state on the way to another.
type kept struct {
	id    uint32
	world world
}

func (s *search) run() {
	s.seen.add(s.canon.hash(s.grid, s.first))
	s.origins = append(s.origins, origin{})
	for level, from := 0, 0; from < len(s.origins); level++ {
		to := len(s.origins)
		s.report.Levels = append(s.report.Levels, to-from)
		if level > 0 && level == s.grid.Depth {
			return
		}
		for id := from; id < to; id++ {
			if s.expand(uint32(id)) {
				return
			}
		}
		s.report.Depth = level + 1
		from = to
	}
	s.report.Complete = true
}

// expand tries everything that can happen in a state; it reports whether the
// search is over.
func (s *search) expand(id uint32) bool {
	s.rebuild(id)
	m := mover{s.explorer, s.at}
	s.list = m.choices(s.list[:0])
	for _, c := range s.list {
		s.at.copyTo(s.grid, &s.next)
		s.beyond = false
		n := mover{s.explorer, &s.next}
		n.try(c)
		if s.next.broken != nil {
			s.report.Failure = s.next.broken
			s.report.States = len(s.origins)
			s.report.Trace = s.trace(id, c)
			return true
		}
		if s.beyond || !s.seen.add(s.canon.hash(s.grid, &s.next)) {
			continue
		}
		s.origins = append(s.origins, origin{id, c})
	}
	s.report.States = len(s.origins)
	if s.grid.States > 0 && len(s.origins) >= s.grid.States {
		return true
	}
	return id%256 == 0 && s.stop != nil && s.stop()
}

// try makes a choice.
func (m *mover) try(c choice) {
	m.guarded(func() { m.take(c) })
}

// guarded does something; what the core panics with is a failure.
func (m *mover) guarded(do func()) {
	defer func() {
		if p := recover(); p != nil {
			m.deep = 0
			v, ok := p.(*core.Violation)
			if !ok {
				panic(p)
			}
			m.broken = &Failure{v.Name, v.Text}
		}
	}()
	do()
}

// rebuild brings s.at to a state by its origins. States of one length are numbered
// in the order of their parents, so that those on the way to one are mostly those
// on the way to the one before: they are kept.
func (s *search) rebuild(id uint32) {
	s.way = s.way[:0]
	for n := id; n != 0; n = s.origins[n].parent {
		s.way = append(s.way, n)
	}
	depth := len(s.way)
	for len(s.kept) <= depth {
		s.kept = append(s.kept, &kept{})
	}
	at := 0 // how many steps of the way are kept
	for at < s.reached && at < depth && s.kept[at+1].id == s.way[depth-1-at] {
		at++
	}
	if at == 0 {
		s.first.copyTo(s.grid, &s.kept[0].world)
	}
	for ; at < depth; at++ {
		k := s.kept[at+1]
		k.id = s.way[depth-1-at]
		s.kept[at].world.copyTo(s.grid, &k.world)
		m := mover{s.explorer, &k.world}
		m.take(s.origins[k.id].by)
	}
	s.reached = depth
	s.at = &s.kept[depth].world
}

// replay brings a world to a state from the first.
func (s *search) replay(id uint32, w *world) {
	s.first.copyTo(s.grid, w)
	m := mover{s.explorer, w}
	for _, c := range s.path(id) {
		m.take(c)
	}
}

func (s *search) path(id uint32) []choice {
	var back []choice
	for ; id != 0; id = s.origins[id].parent {
		back = append(back, s.origins[id].by)
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// trace tells in words how a state is reached, and what the choices after it lead to.
func (s *search) trace(id uint32, last ...choice) string {
	var b strings.Builder
	var w world
	s.first.copyTo(s.grid, &w)
	s.tell = func(line string) { fmt.Fprintln(&b, line) }
	defer func() { s.tell = nil }()
	m := mover{s.explorer, &w}
	for _, c := range append(s.path(id), last...) {
		m.try(c)
	}
	fmt.Fprintln(&b, w.broken)
	return b.String()
}
