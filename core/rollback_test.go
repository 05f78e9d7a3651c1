package core

import "testing"

// TestPassedBy: a heartbeat closes an open write only if it is newer than all that
// was known when the write was proposed (decisions 0103 and 0110).
func TestPassedBy(t *testing.T) {
	open := func(base Position, proposed Epoch) *Writing {
		return &Writing{Open: true, Base: base, Proposal: Record{Epoch: proposed}}
	}
	for name, c := range map[string]struct {
		w       *Writing
		at, top Position
		want    bool
	}{
		"nothing is open":                      {&Writing{}, Position{2, 2}, Position{1, 1}, false},
		"the record that it expects":           {open(Position{1, 1}, 2), Position{1, 1}, Position{1, 1}, false},
		"a renewal after it":                   {open(Position{1, 1}, 2), Position{1, 2}, Position{1, 1}, true},
		"a take after it":                      {open(Position{1, 1}, 2), Position{2, 2}, Position{1, 1}, true},
		"what a rollback undid":                {open(Position{1, 1}, 2), Position{1, 2}, Position{1, 2}, false},
		"newer than what a rollback undid":     {open(Position{1, 1}, 2), Position{1, 3}, Position{1, 2}, true},
		"below a proposal that jumps":          {open(Position{1, 1}, 3), Position{2, 5}, Position{1, 1}, false},
		"at the epoch of a proposal that does": {open(Position{1, 1}, 3), Position{3, 6}, Position{1, 1}, true},
	} {
		if got := c.w.passedBy(c.at, c.top); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestRetakesAboveItsOwnFloor: a holding that was rolled back goes on only above
// what this node itself has observed (decision 0110).
func TestRetakesAboveItsOwnFloor(t *testing.T) {
	for _, c := range []struct {
		held, stale, floor Epoch
		want               bool
	}{
		{held: 2, stale: 0, floor: 2, want: false},
		{held: 2, stale: 2, floor: 2, want: true}, // another session has this epoch
		{held: 2, stale: 1, floor: 2, want: false},
		{held: 2, stale: 0, floor: 3, want: true},
		{held: 0, stale: 0, floor: 3, want: false}, // nothing is held
	} {
		s := &State{Phase: Fenced, Floor: Floor{Known: true, Epoch: c.floor}}
		s.View.Record.Epoch, s.Lead.StaleEpoch = c.held, c.stale
		tr := &turn{State: s, c: &Config{}, now: 1}
		if got := tr.retakes(); got != c.want {
			t.Errorf("holding %d, told %d, floor %d: retakes %t, want %t", c.held, c.stale, c.floor, got, c.want)
		}
		if tr.retakes() && tr.asking() {
			t.Errorf("holding %d, told %d, floor %d: asks for promises that could not bring it back", c.held, c.stale, c.floor)
		}
	}
}
