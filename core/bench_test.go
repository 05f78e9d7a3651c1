package core

import (
	"testing"
	"time"
)

// The benchmarks measure Step where it runs most: a healthy pair, one heartbeat an
// interval.

const benchInterval = 500 * time.Millisecond

func benchConfig(node, peer string) Config {
	return Config{
		Election: "orders", Node: node, Identity: "id-" + node, Session: node + "1", Peers: []string{peer},
		ArbiterLease: 30 * time.Second, HeartbeatInterval: benchInterval, HeartbeatLease: 3 * benchInterval,
		FenceMargin: benchInterval, ArbiterTimeout: 2 * time.Second,
	}
}

// healthyPair returns a leader, its follower, and the instant they got there.
func healthyPair(tb testing.TB) (lc Config, ls State, fc Config, fs State, now Instant) {
	lc, fc = benchConfig("a", "b"), benchConfig("b", "a")
	record := Record{
		Format: Format, Election: "orders", Epoch: 1, Revision: 1, Holder: "a", Session: "a1", State: Held,
		ArbiterLease: lc.ArbiterLease, HeartbeatLease: lc.HeartbeatLease,
	}
	record.Electors = record.Electors.With(lc.self()).With(fc.self())
	now = Instant(time.Hour)
	ls = New(now, Standing{Healthy: true, Priority: 1}, 0, false, 1)
	fs = New(now, Standing{Healthy: true, Priority: 1}, 1, true, 2)

	step := func(c *Config, s *State, ev Event) []Action {
		now++
		return Step(c, s, now, ev, nil)
	}
	hello := Message{Kind: Hello, Node: "b", Identity: "id-b", Session: "b1", Eligible: true}
	step(&lc, &ls, Event{Kind: Ticked})
	step(&lc, &ls, Event{Kind: PeerUp, Peer: "b"})
	step(&lc, &ls, Event{Kind: HelloReceived, Message: &hello})
	step(&lc, &ls, Event{Kind: ReadDone, Op: ls.Read.Op, Outcome: Applied, Found: FoundAbsent})
	hello.Seq, hello.Holder = ls.View.Question, lc.Session
	answer(tb, &lc, &ls, step(&lc, &ls, Event{Kind: HelloReceived, Message: &hello}), step)
	if ls.Phase != Leading {
		tb.Fatalf("the leader is %s", ls.Phase)
	}
	record = ls.View.Record
	step(&fc, &fs, Event{Kind: Ticked})
	step(&fc, &fs, Event{Kind: ReadDone, Op: fs.Read.Op, Outcome: Applied, Found: FoundRecord, Record: &record, Version: "v1"})
	if fs.Phase != Following {
		tb.Fatalf("the follower is %s", fs.Phase)
	}
	return lc, ls, fc, fs, now
}

// answer answers writes, hooks and saves with success.
func answer(tb testing.TB, c *Config, s *State, out []Action, step func(*Config, *State, Event) []Action) {
	for _, a := range out {
		var ev Event
		switch a.Kind {
		case DoWrite:
			ev = Event{Kind: WriteDone, Op: a.Op, Outcome: Applied, Version: "v1"}
		case DoSave:
			ev = Event{Kind: FloorSaved, Op: a.Op, OK: true, Epoch: a.Epoch}
		case DoPromote:
			ev = Event{Kind: PromoteDone, Op: a.Op, OK: true}
		default:
			continue
		}
		answer(tb, c, s, step(c, s, ev), step)
	}
}

// BenchmarkHeartbeat is a follower that promises.
func BenchmarkHeartbeat(b *testing.B) {
	_, ls, fc, fs, now := healthyPair(b)
	m := Message{
		Kind: Heartbeat, Election: "orders", Node: "a", Identity: "id-a", Session: "a1", Epoch: 1, Revision: 1, Version: "v1",
		HeartbeatLease: 3 * benchInterval, Asking: true, Seq: ls.Lead.Seq,
	}
	ev, _ := Received(&m)
	out := make([]Action, 0, 8)
	b.ReportAllocs()
	for b.Loop() {
		now += Instant(benchInterval)
		m.Seq++
		out = Step(&fc, &fs, now, ev, out[:0])
	}
	if len(out) != 1 || out[0].Message.Kind != Ack {
		b.Fatalf("the follower answered %+v", out)
	}
}

// BenchmarkAck is a leader that counts an acknowledgement.
func BenchmarkAck(b *testing.B) {
	_, now, lc, ls, ev := acknowledged(b)
	out := make([]Action, 0, 8)
	b.ReportAllocs()
	for b.Loop() {
		out = Step(&lc, &ls, now, ev, out[:0])
	}
	if ls.Peers[0].Sent == 0 || len(out) != 0 {
		b.Fatalf("the leader counts from %d and does %+v", ls.Peers[0].Sent, out)
	}
}

// acknowledged returns a leader whose newest round has just been sent, and the
// acknowledgement of it.
func acknowledged(tb testing.TB) (m *Message, now Instant, lc Config, ls State, ev Event) {
	lc, ls, _, _, _ = healthyPair(tb)
	now = ls.Next
	Step(&lc, &ls, now, Event{Kind: Ticked}, nil)
	m = &Message{
		Kind: Ack, Election: "orders", Node: "b", Identity: "id-b", Session: "b1", Holder: "a1", Epoch: 1,
		Asking: true, Seq: ls.Lead.Seq,
	}
	ev, _ = Received(m)
	now++
	Step(&lc, &ls, now, ev, nil) // waives, and sends another round
	m.Seq = ls.Lead.Seq
	return m, now, lc, ls, ev
}

// TestStepDoesNotAllocate: neither a heartbeat at the follower nor an
// acknowledgement or an interval at the leader, with the caller's buffer.
func TestStepDoesNotAllocate(t *testing.T) {
	out := make([]Action, 0, 8)

	_, ls, fc, fs, now := healthyPair(t)
	beat := Message{
		Kind: Heartbeat, Election: "orders", Node: "a", Identity: "id-a", Session: "a1", Epoch: 1, Revision: 1, Version: "v1",
		HeartbeatLease: 3 * benchInterval, Asking: true, Seq: ls.Lead.Seq,
	}
	heard, _ := Received(&beat)
	if n := testing.AllocsPerRun(100, func() {
		now += Instant(benchInterval)
		beat.Seq++
		out = Step(&fc, &fs, now, heard, out[:0])
	}); n != 0 {
		t.Errorf("a heartbeat at the follower: %v allocations", n)
	}
	if len(out) != 1 || out[0].Message.Kind != Ack || fs.Vow.Until != now.Add(3*benchInterval) {
		t.Errorf("the follower did not promise: %+v", out)
	}

	m, now, lc, ls, ev := acknowledged(t)
	if n := testing.AllocsPerRun(100, func() { out = Step(&lc, &ls, now, ev, out[:0]) }); n != 0 {
		t.Errorf("an acknowledgement at the leader: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		now = max(ls.Next, now+1)
		out = Step(&lc, &ls, now, Event{Kind: Ticked}, out[:0])
		m.Seq = ls.Lead.Seq
		now++
		out = Step(&lc, &ls, now, ev, out[:0])
	}); n != 0 {
		t.Errorf("an interval at the leader: %v allocations", n)
	}
	if until := ls.Authority(&lc); ls.Phase != Leading || until != now.Add(3*benchInterval-1) {
		t.Errorf("the leader is %s until %d, now is %d", ls.Phase, until, now)
	}
}

// BenchmarkRound is a leader's interval: heartbeats out, one acknowledgement in. It
// is two steps.
func BenchmarkRound(b *testing.B) {
	lc, ls, _, _, now := healthyPair(b)
	m := Message{Kind: Ack, Election: "orders", Node: "b", Identity: "id-b", Session: "b1", Holder: "a1", Epoch: 1, Asking: true}
	ev, _ := Received(&m)
	out := make([]Action, 0, 8)
	b.ReportAllocs()
	for b.Loop() {
		now = max(ls.Next, now+1)
		out = Step(&lc, &ls, now, Event{Kind: Ticked}, out[:0])
		m.Seq = ls.Lead.Seq
		now++
		out = Step(&lc, &ls, now, ev, out[:0])
	}
	if ls.Phase != Leading || ls.Lead.ArbiterUntil != 0 {
		b.Fatalf("the leader is %s and holds arbiter authority until %d", ls.Phase, ls.Lead.ArbiterUntil)
	}
}
