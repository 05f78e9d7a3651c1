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
		"it has not looked": {func(t *turn) {
			t.View.Question = 0
			for i := range t.Peers {
				t.Peers[i].Hello.Answers = 0
			}
		}, false},
		"nobody else": {func(t *turn) { t.c.Peers = nil }, true},
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

// TestFounderAsks: a node that finds no record asks every peer until it has answered,
// and all anew when the record is missing another time; not those that have a floor.
func TestFounderAsks(t *testing.T) {
	u := founder(t)
	first := u.takeQuestions()
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
	u.takeQuestions()
	if u.greet("b"); len(u.takeQuestions()) != 0 {
		t.Error("asks b, which has answered")
	}
	u.finds(2)
	if again := u.takeQuestions(); len(again) != 1 || again[0].Peer != "c" {
		t.Errorf("asks again: %+v", again)
	}
	u.noteGreeting(&Message{Kind: Hello, Node: "c", Identity: "id-c", Session: "c1"})
	u.readAnswered(&Event{Kind: ReadDone, Op: u.reads(3), Outcome: Applied, Found: FoundCorrupt})
	u.takeQuestions()
	u.greet("c")
	if asked := u.takeQuestions(); len(asked) != 0 {
		t.Errorf("asks %+v, though something is there", asked)
	}
	u.finds(4)
	if anew := u.takeQuestions(); len(anew) != 2 || anew[0].Message.Seq == first[0].Message.Seq {
		t.Errorf("asks anew: %+v", anew)
	}
	u.noteGreeting(&Message{Kind: Hello, Node: "c", Identity: "id-c", Session: "c1", HasFloor: true, Floor: 2})
	u.finds(5)
	if again := u.takeQuestions(); len(again) != 1 || again[0].Peer != "b" {
		t.Errorf("asks %+v, though c has a floor", again)
	}
	if text := Explain(u.c, u.State, u.now); text != "no record yet: waits to hear from b that it has none either" {
		t.Errorf("explains %q", text)
	}
}

// TestOnlyAFounderWaitsForWords: who has a floor creates a deleted record by itself.
func TestOnlyAFounderWaitsForWords(t *testing.T) {
	u := followingB()
	u.vanish()
	if text := Explain(u.c, u.State, u.now); text != string(BecauseAbsent) {
		t.Errorf("explains %q, though it has a floor", text)
	}
	u.absent()
	if asked := u.takeQuestions(); len(asked) != 0 {
		t.Errorf("asks %+v, though it has a floor", asked)
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
		"idle":          {func(*turn) {}, 5},
		"reads":         {func(t *turn) { t.Read.Op = 9 }, 0},
		"writes":        {func(t *turn) { t.open(of("a"), 1); t.Write.Op = 9 }, 0},
		"write is open": {func(t *turn) { t.open(of("a"), 1) }, 5},
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
}

// TestHelloOfItselfIsAsked: whoever was not certain says Hello when it has looked.
func TestHelloOfItselfIsAsked(t *testing.T) {
	u := founder(t)
	u.takeQuestions()
	u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Holder: "a1"})
	if asked := u.takeQuestions(); len(asked) != 0 {
		t.Errorf("asks %+v for an answer that it has just had", asked)
	}
	u.noteGreeting(&Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1"})
	if asked := u.takeQuestions(); len(asked) != 1 || asked[0].Peer != "b" {
		t.Errorf("asks %+v when b says Hello of itself", asked)
	}
}

// TestGreetingAfter: what was once said stays said.
func TestGreetingAfter(t *testing.T) {
	known := Greeting{Known: true, Identity: "id-b", HasFloor: true, Floor: 3, Heard: Position{3, 7}, Answers: 5}
	for name, c := range map[string]struct {
		says Message
		want Greeting
	}{
		"nothing new":          {Message{}, known},
		"an uncertain answer":  {Message{Holder: "a1"}, known},
		"an older answer":      {Message{Holder: "a1", Seq: 4}, known},
		"another one's answer": {Message{Holder: "a0", Seq: 9}, known},
		"a question":           {Message{Asking: true, Seq: 9}, known},
		"an answer":            {Message{Holder: "a1", Seq: 9}, Greeting{HasFloor: true, Floor: 3, Heard: Position{3, 7}, Answers: 9}},
		"an older record":      {Message{Epoch: 3, Revision: 6}, known},
		"a newer record":       {Message{Epoch: 4, Revision: 8}, Greeting{HasFloor: true, Floor: 4, Heard: Position{4, 8}, Answers: 5}},
		"a higher floor":       {Message{HasFloor: true, Floor: 6}, Greeting{HasFloor: true, Floor: 6, Heard: Position{3, 7}, Answers: 5}},
		"no floor any more":    {Message{Identity: "id-x"}, known},
	} {
		t.Run(name, func(t *testing.T) {
			got := known.after(&c.says, "a1")
			got.Known, got.Identity = c.want.Known, c.want.Identity
			if got != c.want {
				t.Errorf("%+v, not %+v", got, c.want)
			}
		})
	}
	if g := (Greeting{}).after(&Message{Epoch: 2, Revision: 1}, "a1"); !g.HasFloor || g.Floor != 2 {
		t.Errorf("who knows of a record has %+v", g)
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

// takeQuestions returns the Hellos that have asked for one, and forgets what was
// said so far.
func (t *turn) takeQuestions() (asked []Action) {
	for _, a := range t.out {
		if a.Message.Kind == Hello && a.Message.Asking {
			asked = append(asked, a)
		}
	}
	t.out = nil
	return asked
}
