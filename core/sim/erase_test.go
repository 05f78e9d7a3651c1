package sim

import (
	"strings"
	"testing"

	"github.com/electd/electd/core"
)

// deletion is a run of two nodes that lead and follow, and a brand-new third one
// that starts after the record was deleted.
func deletion(faults ...Fault) Plan {
	p := NewPlan(1)
	p.Mode, p.NodeIDs, p.Timing = Safety, false, timings[0]
	p.Network = NetworkPlan{Latency: [2]Time{100 * Microsecond, 2 * Millisecond}}
	p.Store = StorePlan{Latency: [2]Time{Millisecond, 20 * Millisecond}, Dates: true}
	p.Nodes = []NodePlan{
		{ID: "a", Machine: "ma", Priority: 1},
		{ID: "b", Machine: "mb", Priority: 1},
		{ID: "c", Machine: "mc", Priority: 1, Starts: 60 * Second},
	}
	p.Faults = append(faults, Fault{Kind: Delete, At: 50 * Second, Lasts: 1})
	p.Length = 300 * Second
	p.Settles, p.Leads, p.Calms = 0, 0, 0
	return p
}

// TestOnlyABlindCreationIsLeftOut checks that a run is broken off where a brand-new
// node that has never heard anybody creates a deleted record, and nowhere else.
func TestOnlyABlindCreationIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		faults  []Fault
		leftOut bool
	}{
		"cut off from everybody":        {[]Fault{{Kind: Partition, At: 1, Lasts: 250 * Second, Who: 2}}, true},
		"cut off, but not for a lease":  {[]Fault{{Kind: Partition, At: 1, Lasts: 80 * Second, Who: 2}}, false},
		"cut off when it has heard one": {[]Fault{{Kind: Partition, At: 65 * Second, Lasts: 200 * Second, Who: 2}}, false},
		"not cut off":                   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			erased, created := false, false
			r := Run(deletion(c.faults...), func(line string) {
				erased = erased || strings.Contains(line, "the record is deleted")
				created = created || erased && strings.Contains(line, `held of "c2.1"`)
			})
			if r.Failure != nil {
				t.Errorf("%s: %s", r.Failure.Invariant, r.Failure.Text)
			}
			if r.LeftOut != c.leftOut || !erased || created {
				t.Errorf("left out: %t, deleted: %t, the new node created it: %t", r.LeftOut, erased, created)
			}
		})
	}
}

// TestWhoIsBlind checks each condition by itself: a node that the core lets create
// though it knows better is not left out.
func TestWhoIsBlind(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*World, *node, *request)
		blind  bool
	}{
		"brand-new and cut off":  {func(*World, *node, *request) {}, true},
		"nothing was deleted":    {func(w *World, _ *node, _ *request) { w.store.deletes = 0 }, false},
		"it has a floor":         {func(_ *World, n *node, _ *request) { n.disk.known = true }, false},
		"it was told":            {func(_ *World, n *node, _ *request) { n.told = true }, false},
		"somebody is at hand":    {func(_ *World, n *node, _ *request) { n.state.Peers[0].Connected = true }, false},
		"nobody is there":        {func(w *World, _ *node, _ *request) { w.nodes[0].up = false }, false},
		"it replaces a record":   {func(_ *World, _ *node, r *request) { r.expected = "v1" }, false},
		"it was decided earlier": {func(_ *World, n *node, _ *request) { n.state.Write.Tries = 2 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPlan(1).Without(everyFault())
			p.Nodes = p.Nodes[:2]
			w := newWorld(p, nil)
			w.nodes[0].up, w.store.deletes = true, 1
			r := request{intent: core.Take}
			c.change(w, w.nodes[1], &r)
			w.judgeBlindness(w.nodes[1], &r)
			if r.blind != c.blind {
				t.Errorf("blind: %t, want %t", r.blind, c.blind)
			}
		})
	}
}

// TestNothingIsDeletedUnderACreate checks that the record stays while a first record
// is on its way beside it: the two look alike to whoever wrote the late one.
func TestNothingIsDeletedUnderACreate(t *testing.T) {
	for name, c := range map[string]struct {
		expected core.Version
		arrives  bool
		erases   bool
	}{
		"a create is on its way": {"", true, false},
		"it has arrived":         {"", false, true},
		"it replaces a record":   {"v1", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(deletion().Without(everyFault()), nil)
			w.store.present = true
			w.store.record.ArbiterLease = w.nodes[0].config.ArbiterLease
			w.nodes[0].up, w.nodes[0].disk.known = true, true
			_, r := w.requests.add()
			*r = request{write: true, expected: c.expected, arrives: c.arrives}
			if got := w.mayErase(); got != c.erases {
				t.Errorf("deletes the record: %t, want %t", got, c.erases)
			}
		})
	}
}
