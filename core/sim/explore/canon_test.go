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

// TestAllWorldsOfOneFormBehaveAlike compares whatever the search takes for one in a
// group that only loses messages, without end of epochs.
func TestAllWorldsOfOneFormBehaveAlike(t *testing.T) {
	for _, lease := range []int{2, 3} {
		g := base("no faults", "nothing", Budget{})
		g.HeartbeatLease, g.ArbiterLease, g.States = lease, 3, 1<<30
		compared, differing := compareForms(t, &g, 1)
		t.Logf("lease of %d ticks: compared %d pairs, %d of worlds that differ", lease, compared, differing)
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
				t.Fatalf("two worlds of one form lead to different ones\n%s\nand\n%s\nthey differ in\n%s",
					s.trace(other, choice{}), s.trace(uint32(id), c), strings.Join(differences(&known, &s.next), "\n"))
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

// successors returns the forms of everything a world leads to.
func successors(x *explorer, w *world) []uint64 {
	var forms []uint64
	var next world
	m := mover{x, w}
	for _, c := range m.choices(nil) {
		w.copyTo(x.grid, &next)
		x.beyond = false
		n := mover{x, &next}
		n.try(c)
		if next.broken != nil {
			forms = append(forms, 1)
			continue
		}
		forms = append(forms, x.canon.hash(x.grid, &next))
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
