package core

import "testing"

// TestNewCluster: a new cluster is founded by a node that never saw a record, on
// the word of every peer in answer to what it asked since it found that there is none.
func TestNewCluster(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn)
		want  bool
	}{
		"all answer":              {func(*turn) {}, true},
		"one has not":             {func(t *turn) { t.Peers[1].Hello.Answers = 6 }, false},
		"one was never heard":     {func(t *turn) { t.Peers[1].Hello = Greeting{} }, false},
		"one has a floor":         {func(t *turn) { t.Peers[0].Hello.HasFloor = true }, false},
		"this node has":           {func(t *turn) { t.Floor.Known = true }, false},
		"this node heard of some": {func(t *turn) { t.View.Heard = Position{1, 1} }, false},
		"nobody else":             {func(t *turn) { t.c.Peers = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			u.unseen()
			c.given(u)
			if got := u.newCluster(); got != c.want {
				t.Errorf("a new cluster: %t", got)
			}
		})
	}
}

// TestAsking: a node that finds no record asks every peer, until it has an answer to
// that question, and anew when it finds none another time.
func TestAsking(t *testing.T) {
	u := founder(t)
	first := u.questions()
	if len(first) != 2 || first[0].Peer != "b" || first[1].Peer != "c" || first[0].Message.Seq != u.View.Question {
		t.Fatalf("asks %+v, its question being %d", first, u.View.Question)
	}
	answer := Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Holder: "a1", Seq: u.View.Question}
	for name, m := range map[string]Message{
		"of itself":            {Kind: Hello, Node: "b", Identity: "id-b", Session: "b1"},
		"to another session":   {Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Holder: "a0", Seq: u.View.Question},
		"to a question before": {Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Holder: "a1", Seq: u.View.Question - 1},
	} {
		if u.noteGreeting(&m); u.answered(0) {
			t.Errorf("a Hello %s is taken for the answer", name)
		}
	}
	u.noteGreeting(&answer)
	if !u.answered(0) || u.answered(1) {
		t.Fatalf("b answered: %t, c: %t", u.answered(0), u.answered(1))
	}
	u.finds(2)
	if again := u.questions(); len(again) != 1 || again[0].Peer != "c" {
		t.Errorf("asks again: %+v", again)
	}
	u.View.AbsentSince = 0 // there was one meanwhile
	u.finds(3)
	if anew := u.questions(); len(anew) != 2 || anew[0].Message.Seq == first[0].Message.Seq {
		t.Errorf("asks anew: %+v", anew)
	}
}

// TestUncertainAnswer: while a node reads or writes, what it asks for may give it a
// floor from a record that is gone by then: its answer does not count. It says Hello
// when it has looked, and is asked again.
func TestUncertainAnswer(t *testing.T) {
	asking := Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Seq: 5, Asking: true}
	for name, c := range map[string]struct {
		given func(*turn)
		want  uint64
	}{
		"idle":   {func(*turn) {}, 5},
		"reads":  {func(t *turn) { t.Read.Op = 9 }, 0},
		"writes": {func(t *turn) { t.open(of("a"), 1) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			u.unseen()
			c.given(u)
			u.noteGreeting(&asking)
			if len(u.out) != 1 || u.out[0].Message.Seq != c.want || u.out[0].Message.Holder != "b1" || u.out[0].Message.Asking {
				t.Errorf("says %+v", u.out)
			}
		})
	}
	u := founder(t)
	u.out = nil
	u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Holder: "a1"})
	if asked := u.questions(); len(asked) != 0 {
		t.Errorf("asks %+v for an answer that it has just had", asked)
	}
	u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1"})
	if asked := u.questions(); len(asked) != 1 || asked[0].Peer != "b" {
		t.Errorf("asks %+v when b says Hello of itself", asked)
	}
}

// TestHelloIsReadForOnce: what a peer says it knows of may be gone. Peers without
// a record that tell each other of it do not read each time.
func TestHelloIsReadForOnce(t *testing.T) {
	u := founder(t)
	knows := func(e Epoch, r Revision) bool {
		u.Read.Wanted = false
		u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Epoch: e, Revision: r, Holder: "a1"})
		return u.Read.Wanted
	}
	for i, c := range []struct {
		epoch    Epoch
		revision Revision
		want     bool
	}{{3, 7, true}, {3, 7, false}, {3, 6, false}, {3, 8, true}, {4, 9, true}} {
		if got := knows(c.epoch, c.revision); got != c.want {
			t.Errorf("%d: reads when b knows %d.%d: %t", i, c.epoch, c.revision, got)
		}
	}
}

// founder is a node without a floor that has just found no record.
func founder(t *testing.T) *turn {
	t.Helper()
	u := followingB()
	u.unseen()
	u.Peers, u.View.AbsentSince = [MaxPeers]Peer{}, 0
	u.finds(1)
	return u
}

// finds lets a read find no record.
func (t *turn) finds(op OpID) {
	t.out = nil
	t.Read.Op, t.Read.Last = op, t.now
	t.readAnswered(&Event{Kind: ReadDone, Op: op, Outcome: Applied, Found: FoundAbsent})
}

// questions are the Hellos since the last look that ask for one.
func (t *turn) questions() (asked []Action) {
	for _, a := range t.out {
		if a.Message.Kind == Hello && a.Message.Asking {
			asked = append(asked, a)
		}
	}
	t.out = nil
	return asked
}
