package core

import "testing"

// TestSilence: a reachable elector that falls silent makes the holder renew at
// once, however it becomes known; one that was silent before does not.
func TestSilence(t *testing.T) {
	from := Message{Node: "b", Identity: "id-b", Holder: "a1", Epoch: 1, Revision: 1}
	for name, c := range map[string]struct {
		happens          func(*turn)
		reachable, renew bool
	}{
		"nothing":                     {func(*turn) {}, true, false},
		"no answer in time":           {func(t *turn) { t.Lead.Seq = 9; t.missRound() }, false, true},
		"connection broken":           {func(t *turn) { t.missPeer("b") }, false, true},
		"busy on this record":         {func(t *turn) { m := from; t.countBusy(&m) }, false, true},
		"busy on another":             {func(t *turn) { m := from; m.Revision = 7; t.countBusy(&m) }, false, true},
		"busy, of another session":    {func(t *turn) { m := from; m.Holder = "a0"; t.countBusy(&m) }, true, false},
		"busy, of another machine":    {func(t *turn) { m := from; m.Identity = "id-x"; t.countBusy(&m) }, true, false},
		"was silent, broken":          {func(t *turn) { t.Peers[0].Reachable = false; t.missPeer("b") }, false, false},
		"was silent, busy":            {func(t *turn) { t.Peers[0].Reachable = false; m := from; m.Revision = 7; t.countBusy(&m) }, false, false},
		"was silent, busy on this":    {func(t *turn) { t.Peers[0].Reachable = false; m := from; t.countBusy(&m) }, false, true},
		"not an elector, broken":      {func(t *turn) { t.View.Record.Electors = of("a", "c"); t.missPeer("b") }, false, false},
		"somebody not configured":     {func(t *turn) { t.missPeer("d") }, true, false},
		"broken, but nothing is held": {func(t *turn) { t.Phase = Following; t.missPeer("b") }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), of("a", "b"))
			u.promised("b", 11.6)
			c.happens(u)
			if u.Peers[0].Reachable != c.reachable || u.Lead.RenewWanted != c.renew {
				t.Errorf("reachable %v, renew %v", u.Peers[0].Reachable, u.Lead.RenewWanted)
			}
		})
	}
}

// TestAskingRound: a fenced holder asks for promises only while every elector
// answers, and only where promises could bring it back.
func TestAskingRound(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn)
		want  bool
	}{
		"leading":           {func(t *turn) { t.Phase = Leading; t.Peers[0].Answered = 0 }, true},
		"fenced":            {func(*turn) {}, true},
		"one is silent":     {func(t *turn) { t.Peers[0].Answered = at(10.5) }, false},
		"one never spoke":   {func(t *turn) { t.Peers[0].Answered = 0 }, false},
		"after a release":   {func(t *turn) { t.Lead.BeatsVoid = true }, false},
		"takes again":       {func(t *turn) { t.Lead.StaleEpoch = 1 }, false},
		"epoch not on disk": {func(t *turn) { t.Floor.Saved = 0 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), of("a", "b"))
			u.Phase, u.Peers[0].Answered = Fenced, at(11)
			c.given(u)
			if got := u.asking(); got != c.want {
				t.Errorf("asks: %t", got)
			}
		})
	}
}

// TestAlive: every acknowledgement by an elector is a sign of life, also one that
// counts for nothing: of a round from before a fence, or too long ago.
func TestAlive(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn, *Message)
		want  Instant
	}{
		"in time":          {func(*turn, *Message) {}, at(12)},
		"before the fence": {func(t *turn, _ *Message) { t.forgetAnswers() }, at(12)},
		"forgotten by now": {func(_ *turn, m *Message) { m.Seq = 7 + 8 }, at(12)},
		"promises nothing": {func(_ *turn, m *Message) { m.Asking = false }, at(12)},
		"another machine":  {func(_ *turn, m *Message) { m.Identity = "id-x" }, at(3)},
		"not an elector":   {func(t *turn, _ *Message) { t.View.Record.Electors = of("a", "c") }, at(3)},
		"another session":  {func(_ *turn, m *Message) { m.Holder = "a0" }, at(3)},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), of("a", "b"))
			u.Lead.Seq, u.Peers[0].Alive = 7, at(3)
			u.Lead.Rounds[7] = Round{Seq: 7, Sent: at(11.9), Lease: u.c.HeartbeatLease, Asking: true}
			m := Message{Kind: Ack, Node: "b", Identity: "id-b", Holder: "a1", Epoch: 1, Seq: 7, Asking: true}
			c.given(u, &m)
			u.countAck(&m)
			if got := u.Peers[0].Alive; got != c.want {
				t.Errorf("last alive at %v, not %v", got.Sub(origin), c.want.Sub(origin))
			}
		})
	}
}

// TestCountAck: what is counted from an acknowledgement, and which is none.
func TestCountAck(t *testing.T) {
	for name, c := range map[string]struct {
		given     func(*turn, *Message)
		sent      Instant // counted from
		reachable bool
	}{
		"in time":             {func(*turn, *Message) {}, at(11.9), true},
		"too late for that":   {func(t *turn, _ *Message) { t.now = at(12.1) }, at(11.9), false},
		"not the newest":      {func(t *turn, _ *Message) { t.Lead.Seq = 8 }, at(11.9), false},
		"not asked":           {func(t *turn, _ *Message) { t.Lead.Rounds[7].Asking = false }, 0, true},
		"promises nothing":    {func(_ *turn, m *Message) { m.Asking = false }, 0, true},
		"forgotten by now":    {func(_ *turn, m *Message) { m.Seq = 7 + 8 }, 0, false},
		"before the fence":    {func(t *turn, _ *Message) { t.forgetAnswers() }, 0, false},
		"another session's":   {func(_ *turn, m *Message) { m.Holder = "a0" }, 0, false},
		"another epoch's":     {func(_ *turn, m *Message) { m.Epoch = 2 }, 0, false},
		"another machine's":   {func(_ *turn, m *Message) { m.Identity = "id-x" }, 0, false},
		"not an elector's":    {func(t *turn, _ *Message) { t.View.Record.Electors = of("a", "c") }, 0, false},
		"an elector's to be":  {func(t *turn, _ *Message) { t.View.Record.Electors = of("a", "c"); t.open(of("a", "b", "c"), 1) }, at(11.9), true},
		"after a newer one's": {func(t *turn, _ *Message) { t.promised("b", 11.95); t.Peers[0].Reachable = false }, at(11.95), true},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), of("a", "b"))
			u.Lead.Seq = 7
			u.Lead.Rounds[7] = Round{Seq: 7, Sent: at(11.9), Lease: u.c.HeartbeatLease, Asking: true}
			m := Message{Kind: Ack, Node: "b", Identity: "id-b", Holder: "a1", Epoch: 1, Seq: 7, Asking: true}
			c.given(u, &m)
			u.countAck(&m)
			if p := &u.Peers[0]; p.Sent != c.sent || p.Reachable != c.reachable {
				t.Errorf("counted from %v, reachable %v", p.Sent.Sub(origin), p.Reachable)
			}
		})
	}
}
