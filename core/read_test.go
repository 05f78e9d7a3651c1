package core

import (
	"slices"
	"testing"
)

// TestTwinInTheStore: a record at the known position in another session's name
// is told; what is only torn, or newer, is not.
func TestTwinInTheStore(t *testing.T) {
	for name, c := range map[string]struct {
		read func(*Record)
		want bool
	}{
		"the same":                 {func(*Record) {}, false},
		"another session's":        {func(r *Record) { r.Session = "b2" }, true},
		"another session's, newer": {func(r *Record) { r.Session, r.Epoch = "b2", r.Epoch+1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			r := u.View.Record
			c.read(&r)
			u.adopt(&Event{Kind: ReadDone, Outcome: Applied, Found: FoundRecord, Record: &r, Version: "other"})
			told := slices.ContainsFunc(u.out, func(a Action) bool { return a.Kind == DoTell && a.Reason == ToldTwinSession })
			if told != c.want {
				t.Errorf("told of a twin: %v, want %v", told, c.want)
			}
		})
	}
}

// TestHelloAsksForHello: whoever knows nothing of a peer asks it, and is answered
// once. The connection may be older than this election on one of its ends.
func TestHelloAsksForHello(t *testing.T) {
	hellos := func(u *turn) (out []Message) {
		for _, a := range u.out {
			if a.Kind == DoSend && a.Message.Kind == Hello {
				out = append(out, a.Message)
			}
		}
		return out
	}
	u := followingB()
	u.Peers[0].Hello, u.Peers[1].Hello = Greeting{}, Greeting{Known: true}
	u.greet("b")
	u.greet("c")
	if got := hellos(u); len(got) != 2 || !got[0].Asking || got[1].Asking {
		t.Errorf("on connecting with b, unknown, and c, known: %+v", got)
	}
	for _, asking := range []bool{true, false} {
		u := followingB()
		u.Peers[0].Hello = Greeting{}
		u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Asking: asking})
		if got := hellos(u); len(got) == 1 != asking || asking && got[0].Asking {
			t.Errorf("a Hello that asks (%t) is answered %+v", asking, got)
		}
	}
}
