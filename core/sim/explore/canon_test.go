package explore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/electd/electd/core"
)

// TestWorldsOfOneFormBehaveAlike checks the clamps of canon: wherever the search
// meets a world that has the form of an earlier one, though it may differ, both must
// lead to worlds of the same forms.
func TestWorldsOfOneFormBehaveAlike(t *testing.T) {
	for _, g := range Grids() {
		t.Run(g.Name, func(t *testing.T) {
			g.States = 20000
			compared, differing := compareForms(t, &g, 7)
			t.Logf("compared %d pairs, %d of worlds that differ", compared, differing)
			if differing == 0 {
				t.Errorf("no two worlds of one form differ: the test shows nothing")
			}
		})
	}
}

// TestAllWorldsOfOneFormBehaveAlike compares throughout whole elections, in which
// one thing goes wrong besides the messages that are lost.
func TestAllWorldsOfOneFormBehaveAlike(t *testing.T) {
	for _, c := range []struct {
		name   string
		nth    int
		change func(*Grid)
	}{
		{"nothing", 3, func(*Grid) {}},
		{"longer promises", 3, func(g *Grid) { g.HeartbeatLease = 3 }},
		{"a write unresolved", 13, func(g *Grid) { g.Budget.Unknown = 1 }},
		{"the leader crashes", 29, func(g *Grid) { g.Budget.Restarts = restarts(1) }},
		{"the follower crashes", 29, func(g *Grid) { g.Budget.Restarts = restarts(0, 1) }},
		{"a step-down", 29, func(g *Grid) { g.Budget.StepDowns = 1 }},
		{"a slow stop", 61, func(g *Grid) { g.SlowStops, g.Budget.StepDowns = true, 1 }},
		{"a stale read", 101, func(g *Grid) { g.SlowReads, g.Budget.Stale = true, 1 }},
		{"acknowledgements that overtake each other", 61, func(g *Grid) { g.InFlight = 2 }},
		{"a deletion", 61, func(g *Grid) { g.Date, g.Budget.Deleted = 1<<30, 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := base(c.name, "", Budget{})
			g.ArbiterLease, g.States = 3, 1<<30
			c.change(&g)
			compared, differing := compareForms(t, &g, c.nth)
			t.Logf("compared %d pairs, %d of worlds that differ", compared, differing)
		})
	}
}

// compareForms searches a grid and compares every nth world that is not new with
// the one it is taken for.
func compareForms(t *testing.T, g *Grid, nth int) (compared, differing int) {
	x := &explorer{grid: g, configs: configs{map[[3]string]*core.Config{}}}
	first, failure := g.begin(x)
	if failure != nil {
		t.Fatal(failure)
	}
	ids := map[uint64]uint32{x.canon.hash(g, first): 0}
	s := &search{explorer: x, first: first, origins: []origin{{}}}
	var known world
	for id := 0; id < len(s.origins) && len(s.origins) < g.States; id++ {
		s.rebuild(uint32(id))
		m := mover{x, s.at}
		list := m.choices(nil)
		for i, c := range list {
			s.at.copyTo(g, &s.next)
			s.beyond = false
			n := mover{x, &s.next}
			n.try(c)
			if s.next.broken != nil || s.beyond {
				continue
			}
			h := x.canon.hash(g, &s.next)
			other, seen := ids[h]
			if !seen {
				ids[h] = uint32(len(s.origins))
				s.origins = append(s.origins, origin{uint32(id), c})
				continue
			}
			if (id+i)%nth != 0 {
				continue
			}
			s.replay(other, &known)
			compared++
			if !same(&known, &s.next) {
				differing++
			}
			if a, b := successors(x, &known), successors(x, &s.next); !slices.Equal(a, b) {
				t.Fatalf("two worlds of one form lead to different ones\n%s\nand\n%s\nthey differ in\n%s\nand lead to\n%s",
					s.trace(other), s.trace(uint32(id), c), strings.Join(differences(&known, &s.next), "\n"),
					strings.Join(append(a, b...), "\n"))
			}
		}
	}
	return compared, differing
}

// same reports whether the nodes of two worlds are in the same state, their
// clocks and the numbering of operations apart.
func same(a, b *world) bool {
	for i := range a.nodes {
		x, y := a.nodes[i].state, b.nodes[i].state
		x.LastOp, y.LastOp = 0, 0
		if x != y {
			return false
		}
	}
	return true
}

// successors returns the forms of everything a world leads to, and how it does.
func successors(x *explorer, w *world) []string {
	var forms []string
	var next world
	m := mover{x, w}
	for _, c := range m.choices(nil) {
		w.copyTo(x.grid, &next)
		x.beyond = false
		n := mover{x, &next}
		n.try(c)
		form := "broken"
		if next.broken == nil {
			form = fmt.Sprintf("%x", x.canon.hash(x.grid, &next))
		}
		forms = append(forms, fmt.Sprintf("%d %s", c.kind, form))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// differences names the fields of the nodes' states that differ, instants as seen
// from now.
func differences(a, b *world) []string {
	var all []string
	var walk func(path string, x, y reflect.Value)
	walk = func(path string, x, y reflect.Value) {
		switch x.Kind() {
		case reflect.Struct:
			for i := range x.NumField() {
				walk(path+"."+x.Type().Field(i).Name, x.Field(i), y.Field(i))
			}
		case reflect.Array:
			for i := range x.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), x.Index(i), y.Index(i))
			}
		default:
			p, q := x.Interface(), y.Interface()
			if i, ok := p.(core.Instant); ok && i != 0 && i != core.Never {
				p = i - a.now
			}
			if i, ok := q.(core.Instant); ok && i != 0 && i != core.Never {
				q = i - b.now
			}
			if p != q {
				all = append(all, fmt.Sprintf("%s: %v and %v", path, p, q))
			}
		}
	}
	for i := range a.nodes {
		walk(nodeName(i), reflect.ValueOf(a.nodes[i].state), reflect.ValueOf(b.nodes[i].state))
	}
	return all
}
