package core

import (
	"fmt"
	"testing"
	"time"
)

// TestRoster: a set by node and identity, nine at most.
func TestRoster(t *testing.T) {
	r := of("a", "b/x")
	for e, want := range map[Elector]bool{
		{"a", "id-a"}: true, {"b", "id-x"}: true, {"b", "id-b"}: false, {"c", "id-c"}: false, {}: false,
	} {
		if r.Has(e) != want {
			t.Errorf("has %v is %v", e, !want)
		}
	}
	if r.Identity("b") != "id-x" || r.Identity("c") != "" {
		t.Errorf("identities %q, %q", r.Identity("b"), r.Identity("c"))
	}
	for i := range MaxElectors + 3 {
		r = r.With(Elector{fmt.Sprint("n", i), "i"})
	}
	if r.Len != MaxElectors || r.List[MaxElectors-1].Node != "n6" {
		t.Errorf("a full roster: %+v", r)
	}
	if !sameElectors(of("a", "b"), of("b", "a")) || sameElectors(of("a", "b"), of("a", "c")) ||
		sameElectors(of("a"), of("a", "b")) || sameElectors(of("a", "b"), of("a", "b/x")) {
		t.Error("the same electors are those of the same nodes and identities, in any order")
	}
	for _, c := range []struct {
		r    Roster
		open bool
	}{{of(), true}, {of("a"), true}, {of("a", "b"), false}} {
		if record := (Record{Electors: c.r}); record.Open() != c.open {
			t.Errorf("a record of %s is open: %v", electors(&c.r), record.Open())
		}
	}
}

// TestNewElectorsAreWaitedFor: an elector that has just become one is not
// replaced at once because its predecessor had been silent (decision 0111).
func TestNewElectorsAreWaitedFor(t *testing.T) {
	u := leadingA(at(200), of("a", "b"))
	u.Lead.Since, u.Peers[0].Alive, u.Peers[1].Alive = at(0), at(50), at(60)
	next := of("a", "b/x", "c")
	u.awaitNewElectors(&next)
	if u.Peers[0].Alive != at(200) || u.Peers[1].Alive != at(200) {
		t.Errorf("b and c are counted silent since %d and %d, want %d", u.Peers[0].Alive, u.Peers[1].Alive, at(200))
	}
	u.View.Record.Electors = next
	u.Peers[0].Alive = at(50)
	u.awaitNewElectors(&next)
	if u.Peers[0].Alive != at(50) {
		t.Errorf("b, elector as before, is counted silent since %d, want %d", u.Peers[0].Alive, at(50))
	}
}

// TestNewElectorsByARead: so it is when only a read shows that the write which made
// them electors was applied.
func TestNewElectorsByARead(t *testing.T) {
	u := leadingA(at(200), of("a", "b"))
	u.Peers[0].Alive = at(60)
	u.open(of("a", "b/x"), time.Second)
	w := &u.Write
	w.Base, w.Expected, w.Proposal.Revision = u.View.Heard, "v8", u.View.Heard.Revision+1
	w.Attempts[0], w.Len = Attempt{WriteID: "w1", Started: at(190)}, 1
	shown := w.Proposal
	shown.WriteID = "w1"
	u.Read.Op = 7
	u.readAnswered(&Event{Kind: ReadDone, Op: 7, Outcome: Applied, Found: FoundRecord, Record: &shown, Version: "v9"})
	if w.Open || u.Peers[0].Alive != at(200) {
		t.Errorf("b is counted silent since %d, want %d; the write is open: %t", u.Peers[0].Alive, at(200), w.Open)
	}
}

// TestNextRoster: whom a holder's write names.
func TestNextRoster(t *testing.T) {
	hello := func(t *turn, i int, identity string) {
		t.Peers[i].Hello = Greeting{Known: true, Identity: identity}
	}
	for name, c := range map[string]struct {
		given      func(*turn)
		next, kept Roster
	}{
		"as it stands":       {func(*turn) {}, of("a", "b"), of("a", "b")},
		"newcomer":           {func(t *turn) { hello(t, 1, "id-c") }, of("a", "b", "c"), of("a", "b")},
		"under its identity": {func(t *turn) { hello(t, 0, "id-b") }, of("a", "b"), of("a", "b")},
		"twin, too early":    {func(t *turn) { hello(t, 0, "id-x"); t.Peers[0].Alive = at(80) }, of("a", "b"), of("a", "b")},
		"twin, at last":      {func(t *turn) { hello(t, 0, "id-x"); t.Peers[0].Alive = at(70) }, of("a", "b/x"), of("a", "b")},
		"twin, new holder":   {func(t *turn) { hello(t, 0, "id-x"); t.Lead.Since = at(80) }, of("a", "b"), of("a", "b")},
		"twin, fenced":       {func(t *turn) { hello(t, 0, "id-x"); t.Phase = Fenced }, of("a", "b"), of("a", "b")},
		"twin, longer lease": {func(t *turn) { hello(t, 0, "id-x"); t.View.Record.ArbiterLease = 101 * time.Second }, of("a", "b"), of("a", "b")},
		"not configured":     {func(t *turn) { t.c.Peers = []string{"c"} }, of("a"), of("a")},
		"own new identity":   {func(t *turn) { t.c.Identity = "id-y" }, of("a/y", "b"), of("a/y", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(100), of("a", "b"))
			u.Lead.Since = at(0)
			c.given(u)
			if got := u.nextRoster(); got != c.next {
				t.Errorf("next %s, not %s", electors(&got), electors(&c.next))
			}
			if got := u.keptRoster(); got != c.kept {
				t.Errorf("kept %s, not %s", electors(&got), electors(&c.kept))
			}
		})
	}
}

// TestForcedAdmissionEnds: an operator's word that all electors are gone is about
// those of the record that stands.
func TestForcedAdmissionEnds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Record)
		want   bool
	}{
		"the same record":  {func(*Record) {}, true},
		"renewed":          {func(r *Record) { r.Revision++ }, true},
		"a late take":      {func(r *Record) { r.Epoch++; r.Revision++; r.Session = "c1"; r.Electors = of("c", "b") }, true},
		"taken by another": {func(r *Record) { r.Epoch++; r.Revision++; r.Session = "d1"; r.Electors = of("d", "b") }, false},
		"named by another": {func(r *Record) { r.Revision++; r.Electors = of("b", "a") }, false},
	} {
		u := followingB()
		u.View.Record.Electors = of("b", "c")
		u.View.Version = "v7"
		u.Admitted = true
		r := u.View.Record
		c.change(&r)
		version := u.View.Version
		if r.Revision != u.View.Record.Revision {
			version = "v8"
		}
		u.seeRecord(&Event{Kind: ReadDone, Record: &r, Version: version})
		if u.Admitted != c.want {
			t.Errorf("%s: admitted %t, want %t", name, u.Admitted, c.want)
		}
	}
}
