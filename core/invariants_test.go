package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// broken are states that no step may leave behind: what is wrong with each, by
// the words that Violation.Text begins with.
var broken = map[string]struct {
	name string
	do   func(t *turn, before *measures)
}{
	"something is due":                 {"duties", func(t *turn, _ *measures) { t.Next = t.now }},
	"the floor fell":                   {"I7", func(t *turn, before *measures) { before.floor = 2 }},
	"a promise was taken back":         {"I4", func(t *turn, before *measures) { before.promise = t.now }},
	"rounds were numbered anew":        {"I4", func(t *turn, before *measures) { before.seq = t.Lead.Seq + 1 }},
	"holds a record of session":        {"I3", func(t *turn, _ *measures) { t.View.Record.Session = "a0" }},
	"a holder owes a promise":          {"I5", func(t *turn, _ *measures) { t.Vow.Owed.Peer = "b" }},
	"leading without authority":        {"I9", func(t *turn, _ *measures) { t.Lead.ArbiterUntil = t.now.Add(t.c.FenceMargin) }},
	"leading without a service":        {"I6", func(t *turn, _ *measures) { t.Lead.Service = Stopping }},
	"leads at epoch":                   {"I7", func(t *turn, before *measures) { t.Floor.Saved, before.saved = 0, 0 }},
	"takes without a write":            {"I5", func(t *turn, _ *measures) { t.Phase = Taking }},
	"an open write without an attempt": {"I5", func(t *turn, _ *measures) { t.Write.Open = true }},
	"a write that does not move the record on": {"I7", func(t *turn, _ *measures) {
		t.writes()
		t.Write.Proposal.Revision = t.Write.Base.Revision
	}},
	"acknowledged while a write is unresolved": {"I5", func(t *turn, _ *measures) {
		t.writes()
		t.do(Action{Kind: DoSend, Message: Message{Kind: Ack, Asking: true}})
	}},
}

// writes lets a renewal be unresolved.
func (t *turn) writes() {
	t.open(t.View.Record.Electors, t.View.Record.HeartbeatLease)
	t.Write.Base, t.Write.Len = t.View.Record.Position(), 1
	t.Write.Proposal.Revision++
}

// soundLeader is a state in which everything holds.
func soundLeader() (*turn, measures) {
	u := leadingA(at(12), of("a", "b"))
	u.Lead.ArbiterUntil, u.Next = at(40), at(13)
	return u, measure(u.State, nil)
}

// violation runs the checks and returns what they found.
func violation(f func()) (v *Violation) {
	defer func() {
		if r := recover(); r != nil {
			v = r.(*Violation)
		}
	}()
	f()
	return nil
}

// TestInvariants: each is checked, and says its name. What is sound passes.
func TestInvariants(t *testing.T) {
	for text, c := range broken {
		t.Run(text, func(t *testing.T) {
			u, before := soundLeader()
			c.do(u, &before)
			v := violation(func() { u.check(before) })
			if v == nil || v.Name != c.name || !strings.HasPrefix(v.Text, text) {
				t.Errorf("found %v", v)
			}
			if v != nil && v.Error() != v.Name+": "+v.Text {
				t.Errorf("says %q", v)
			}
		})
	}
	for name, sound := range map[string]func(*turn, *measures){
		"leading":        func(*turn, *measures) {},
		"by promises":    func(t *turn, _ *measures) { t.Lead.ArbiterUntil = 0; t.promised("b", 12) },
		"with a write":   func(t *turn, _ *measures) { t.writes() },
		"fenced":         func(t *turn, _ *measures) { t.Phase, t.Lead.ArbiterUntil = Fenced, 0 },
		"what has risen": func(t *turn, before *measures) { t.Lead.Seq++; t.Floor.Epoch++; t.Vow.Until++ },
		"an earlier ack": func(t *turn, before *measures) {
			t.writes()
			t.do(Action{Kind: DoSend, Message: Message{Kind: Ack, Asking: true}})
			before.actions = 1
		},
		"an empty ack": func(t *turn, _ *measures) { t.writes(); t.do(Action{Kind: DoSend, Message: Message{Kind: Ack}}) },
		"a busy": func(t *turn, _ *measures) {
			t.writes()
			t.do(Action{Kind: DoSend, Message: Message{Kind: Busy, Asking: true}})
		},
		"promoting early": func(t *turn, before *measures) { t.Phase, t.Floor.Saved, before.saved = Promoting, 0, 0 },
	} {
		t.Run("sound: "+name, func(t *testing.T) {
			u, before := soundLeader()
			sound(u, &before)
			if v := violation(func() { u.check(before) }); v != nil {
				t.Errorf("found %v", v)
			}
		})
	}
}

// TestInvariantsOfEveryPhase: which phase is bound by which.
func TestInvariantsOfEveryPhase(t *testing.T) {
	for p, want := range map[Phase]string{
		NoLease: "", Following: "", Taking: "I5", Promoting: "I3", Leading: "I3", Fenced: "I3", Releasing: "I3",
	} {
		u, before := soundLeader()
		u.Phase, u.View.Record.Session = p, "b1"
		v := violation(func() { u.check(before) })
		if got := v; (got == nil) != (want == "") || got != nil && got.Name != want {
			t.Errorf("in %s a record of another session: %v", p, v)
		}
	}
	for p, want := range map[Phase]string{Promoting: "I9", Leading: "I9", Fenced: "", Releasing: ""} {
		u, before := soundLeader()
		u.Phase, u.Lead.ArbiterUntil = p, 0
		if v := violation(func() { u.check(before) }); (v == nil) != (want == "") || v != nil && v.Name != want {
			t.Errorf("in %s without authority: %v", p, v)
		}
	}
	u, before := soundLeader()
	u.writes()
	u.Phase, u.Write.Intent = Taking, Renew
	if v := violation(func() { u.check(before) }); v == nil || v.Name != "I5" {
		t.Errorf("taking by a renewal: %v", v)
	}
	u, before = soundLeader()
	u.View.Record.State = Vacant
	if v := violation(func() { u.check(before) }); v == nil || v.Name != "I3" {
		t.Errorf("holding a vacant record: %v", v)
	}
	u, before = soundLeader()
	before.saved = 2
	if v := violation(func() { u.check(before) }); v == nil || v.Name != "I7" {
		t.Errorf("the floor on disk fell: %v", v)
	}
}

// TestStepChecks: Step itself asserts them, in all builds.
func TestStepChecks(t *testing.T) {
	u, _ := soundLeader()
	u.View.Record.Session = "a0"
	v := violation(func() { Step(u.c, u.State, u.now, Event{Kind: Ticked}, nil) })
	if v == nil || v.Name != "I3" {
		t.Errorf("found %v", v)
	}
}

// TestInvariantsAreAllTested: the cases above are those of invariants.go.
func TestInvariantsAreAllTested(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "invariants.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(broken)
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "violate" {
			return true
		}
		format, _ := strconv.Unquote(call.Args[1].(*ast.BasicLit).Value)
		text := strings.Replace(format, "%s without", "leading without", 1)
		for words := range left {
			if strings.HasPrefix(text, words) {
				delete(left, words)
				return true
			}
		}
		t.Errorf("no case breaks %q", format)
		return true
	})
	if len(left) > 0 {
		t.Errorf("invariants.go does not say: %q", slices.Sorted(maps.Keys(left)))
	}
}
