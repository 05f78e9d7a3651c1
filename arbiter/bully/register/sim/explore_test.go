package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// soak is set by `make soak`; what it adds is printed when it is left out.
var soak = os.Getenv("ELECTD_SOAK") != ""

var (
	create  = []Write{{"t1", ""}}
	rivals  = []Write{{"t1", ""}, {"t2", ""}}
	chained = []Write{{"t1", ""}, {"t2", "t1"}}
	renewal = []Write{{"t1", "t0"}}
	duel    = []Write{{"t1", "t0"}, {"t2", "t0"}}
)

// grids is the stated bound of docs/arbiter-bully.md.
var grids = []struct {
	name  string
	bound Bound
	long  bool
}{
	{"two rival swaps, two ballots each, giving up any time", Bound{Writes: rivals, Ballots: 2, GiveUp: true}, false},
	{"one swap and two reads, giving up any time", Bound{Writes: create, Reads: 2, Ballots: 1, GiveUp: true}, false},
	{"one swap and one read, two ballots each, giving up any time", Bound{Writes: create, Reads: 1, Ballots: 2, GiveUp: true}, false},
	{"two rival swaps that look before a second ballot", Bound{Writes: rivals, Ballots: 2, Looks: true}, false},
	{"two rival renewals that look before a second ballot", Bound{Stored: "t0", Writes: duel, Ballots: 2, Looks: true}, false},
	{"a swap upon a swap, and a read", Bound{Writes: chained, Reads: 1, Ballots: 1}, false},
	{"a swap and a read while voter 0 loses its disk", Bound{Writes: create, Reads: 1, Ballots: 1, DiskLoss: true, Admits: 1}, false},
	{"a renewal and a read while voter 0 loses its disk", Bound{Stored: "t0", Writes: renewal, Reads: 1, Ballots: 1, DiskLoss: true, Admits: 1}, true},
	{"two rival swaps while voter 0 loses its disk", Bound{Writes: rivals, Ballots: 1, DiskLoss: true, Admits: 1, Together: true}, true},
	{"two rival renewals while voter 0 loses its disk", Bound{Stored: "t0", Writes: duel, Ballots: 1, DiskLoss: true, Admits: 1, Together: true}, true},
	{"a swap and a read, disk loss, two transfers", Bound{Writes: create, Reads: 1, Ballots: 1, DiskLoss: true, Admits: 2}, true},
	{"two rival swaps, and two reads", Bound{Writes: rivals, Reads: 2, Ballots: 1, Together: true}, true},
}

func TestNoOrderOfEventsBreaksTheRegister(t *testing.T) {
	for _, g := range grids {
		t.Run(strings.ReplaceAll(g.name, " ", "-"), func(t *testing.T) {
			if g.long && !soak {
				t.Log("left out: runs in `make soak`")
				return
			}
			r, err := Explore(g.bound)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", r)
			if r.Stored == 0 || g.bound.Reads > 0 && r.Found == 0 || g.bound.DiskLoss && r.Admissions == 0 {
				t.Errorf("the exploration never reached what it is about: %+v", r)
			}
		})
	}
}

// TestEveryRuleIsNeeded takes one rule away at a time. A flaw that no grid
// notices would mean that the rule, or the explorer, is worth nothing.
func TestEveryRuleIsNeeded(t *testing.T) {
	flaws := []struct {
		flaw  Flaw
		name  string
		grid  Bound
		quick bool
	}{
		{VotesWhenBlank, "a voter votes after it lost its disk", Bound{Writes: create, Reads: 1}, true},
		{LosesPromises, "promises are not on disk", Bound{Writes: rivals, Together: true}, true},
		{LosesAccepts, "accepted values are not on disk", Bound{Writes: create, Reads: 1}, true},
		{MinorityDecides, "one voter decides", Bound{Writes: rivals, Together: true}, true},
		{NoInstall, "a transfer gives nothing back", Bound{Writes: create, Reads: 1}, true},
		{NoTransferPromise, "a transfer asks for no promise", Bound{Stored: "t0", Writes: renewal, Reads: 1}, true},
		{NoViews, "answers of a lost disk count with newer ones", Bound{Writes: rivals, Together: true}, false},
	}
	for _, f := range flaws {
		t.Run(strings.ReplaceAll(f.name, " ", "-"), func(t *testing.T) {
			if !f.quick && !soak {
				t.Log("left out: runs in `make soak`")
				return
			}
			f.grid.Flaw, f.grid.Ballots, f.grid.Admits, f.grid.DiskLoss = f.flaw, 1, 1, true
			if r, err := Explore(f.grid); err == nil {
				t.Errorf("%+v noticed nothing", r)
			} else {
				t.Log(firstLines(err, 1))
			}
		})
	}
}

func firstLines(err error, n int) string {
	lines := strings.Split(err.Error(), "\n")
	return fmt.Sprintf("%s (after %d steps)", strings.Join(lines[:n], "\n"), len(lines)-1)
}
