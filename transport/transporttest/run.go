// Package transporttest says, as tests, what a transport must do. Every
// transport's own tests run it.
package transporttest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
)

// Net is a network under test, with nobody on it at first.
type Net interface {
	// Open puts a node on the network, or back on it after its Close.
	Open(t *testing.T, node string) transport.Transport
	// Cut lets nothing pass between two nodes, either way and without a word
	// to either of them; Heal ends that.
	Cut(a, b string)
	Heal(a, b string)
}

// Start makes a network of the given nodes, whose heartbeats come at interval.
// What it starts ends with the test.
type Start func(t *testing.T, interval time.Duration, nodes ...string) Net

// patience is how long a thing that must happen may take on a busy machine.
const patience = time.Minute

const interval = 200 * time.Millisecond

// Run runs every test on networks made by start.
func Run(t *testing.T, start Start) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Start)
	}{
		{"every field and kind arrives whole", arrivesWhole},
		{"what is said in one burst arrives", burstArrives},
		{"a message reaches its election only", reachesItsElectionOnly},
		{"a message reaches its peer only", reachesItsPeerOnly},
		{"a late joiner is told who is up", lateJoiner},
		{"a restarted peer goes down and up", restartedPeer},
		{"a cut is noticed and a heal too", cutAndHeal},
		{"after a cut of any length messages flow within two intervals", flowsAfterCut},
		{"redial leaves a live connection alone", redialOfLiveConnection},
		{"redial drops a dead connection", redialOfDeadConnection},
		{"ups and downs alternate", alternate},
		{"send never blocks", sendNeverBlocks},
		{"nothing is delivered after stop", nothingAfterStop},
		{"nothing is delivered after close, and no goroutine is left", nothingAfterClose},
		{"an impostor's message is dropped", impostor},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, start) })
	}
}

// pair opens nodes a and b, joined to one election, and waits until both are up.
func pair(t *testing.T, start Start, every time.Duration) (net Net, a, b transport.Transport, atA, atB *listener) {
	t.Helper()
	net = start(t, every, "a", "b")
	a, b = net.Open(t, "a"), net.Open(t, "b")
	t.Cleanup(func() { closed(t, a); closed(t, b) })
	atA, atB = listen(t, a, "e"), listen(t, b, "e")
	atA.awaitUp(t, "b")
	atB.awaitUp(t, "a")
	return net, a, b, atA, atB
}

func closed(t *testing.T, at transport.Transport) {
	t.Helper()
	if err := at.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func heartbeat(seq uint64) core.Message {
	return core.Message{Kind: core.Heartbeat, Election: "e", Node: "a", Identity: "ia", Session: "sa", Seq: seq}
}

func arrivesWhole(t *testing.T, start Start) {
	_, a, b, atA, atB := pair(t, start, interval)
	for kind := core.Hello; kind <= core.HandOver; kind++ {
		m := filled(kind)
		a.Send("b", m)
		atB.awaitMessage(t, m)
		m.Node = "b"
		b.Send("a", m)
		atA.awaitMessage(t, m)
	}
}

// burstArrives: of messages that wait a transport may send the newest of several
// alike. These are not alike. Many bursts, for one may be sent as it is said.
func burstArrives(t *testing.T, start Start) {
	_, a, _, _, atB := pair(t, start, interval)
	plain := core.Message{Kind: core.Hello, Election: "e", Node: "a", Identity: "ia", Session: "sa"}
	for n := range uint64(60) {
		plain.Revision = core.Revision(n)
		question, answer, beat := plain, plain, heartbeat(n)
		question.Asking, question.Seq = true, n
		answer.Holder, answer.Seq = "sb", n
		burst := []core.Message{plain, question, answer, beat}
		first := int(n) % len(burst) // each after each other at some time
		burst = slices.Concat(burst[first:], burst[:first])
		for _, m := range burst {
			a.Send("b", m)
		}
		for _, m := range burst {
			atB.awaitMessage(t, m)
		}
	}
}

func reachesItsElectionOnly(t *testing.T, start Start) {
	_, a, b, _, atB := pair(t, start, interval)
	other := listen(t, b, "other")
	m := heartbeat(1)
	m.Election = "other"
	a.Send("b", m)
	m.Election = "nobody's"
	a.Send("b", m)
	a.Send("b", heartbeat(2))
	atB.awaitMessage(t, heartbeat(2))
	m.Election = "other"
	other.awaitMessage(t, m)
	if got, others := atB.heard(), other.heard(); len(got) != 1 || len(others) != 1 {
		t.Errorf("got %v and %v, want one message each", got, others)
	}
}

func reachesItsPeerOnly(t *testing.T, start Start) {
	net := start(t, interval, "a", "b", "c")
	at := map[string]*listener{}
	nodes := map[string]transport.Transport{}
	for _, id := range []string{"a", "b", "c"} {
		nodes[id] = net.Open(t, id)
		t.Cleanup(func() { closed(t, nodes[id]) })
		at[id] = listen(t, nodes[id], "e")
	}
	for _, id := range []string{"b", "c"} {
		at["a"].awaitUp(t, id)
	}
	nodes["a"].Send("b", heartbeat(1))
	nodes["a"].Send("c", heartbeat(2))
	nodes["a"].Send("nobody", heartbeat(3))
	at["b"].awaitMessage(t, heartbeat(1))
	at["c"].awaitMessage(t, heartbeat(2))
	for id, want := range map[string]int{"a": 0, "b": 1, "c": 1} {
		if got := at[id].heard(); len(got) != want {
			t.Errorf("%s got %v, want %d messages", id, got, want)
		}
	}
}

func lateJoiner(t *testing.T, start Start) {
	_, a, _, _, _ := pair(t, start, interval)
	late := &listener{changed: make(chan struct{})}
	defer a.Join("late", late)()
	if !slices.Equal(late.told(), []turn{{peer: "b", up: true}}) {
		t.Error("Join returned before PeerUp was called for a peer that is up")
	}
}

func restartedPeer(t *testing.T, start Start) {
	net, a, b, atA, _ := pair(t, start, interval)
	closed(t, b)
	atA.awaitDown(t, "b")
	if told := atA.told(); told[len(told)-1].why == nil {
		t.Error("PeerDown without a reason")
	}
	if p := only(t, a); p.Connected || p.Err == nil {
		t.Errorf("Peers says %+v of a peer that is gone", p)
	}
	back := net.Open(t, "b")
	t.Cleanup(func() { closed(t, back) })
	again := listen(t, back, "e")
	atA.awaitUp(t, "b")
	if p := only(t, a); p.Node != "b" || !p.Connected || p.Err != nil || p.Address == "" {
		t.Errorf("Peers says %+v of a peer that is up", p)
	}
	a.Send("b", heartbeat(1))
	again.awaitMessage(t, heartbeat(1))
}

func only(t *testing.T, at transport.Transport) transport.Peer {
	t.Helper()
	all := at.Peers()
	if len(all) != 1 {
		t.Fatalf("Peers: got %v, want one", all)
	}
	return all[0]
}

func cutAndHeal(t *testing.T, start Start) {
	net, a, _, atA, atB := pair(t, start, interval)
	net.Cut("a", "b")
	a.Send("b", heartbeat(1))
	atA.awaitDown(t, "b")
	atB.awaitDown(t, "a")
	a.Send("b", heartbeat(2))
	net.Heal("a", "b")
	atA.awaitUp(t, "b")
	atB.awaitUp(t, "a")
	a.Send("b", heartbeat(3))
	atB.awaitMessage(t, heartbeat(3))
	if slices.Contains(atB.heard(), heartbeat(2)) {
		t.Error("a message that was sent while the peer was down arrived")
	}
}

func flowsAfterCut(t *testing.T, start Start) {
	const every = 1500 * time.Millisecond
	for _, length := range []time.Duration{every / 4, every, 3 * every, 6 * every} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			t.Parallel()
			net, a, _, _, atB := pair(t, start, every)
			net.Cut("a", "b")
			seq := uint64(0)
			beat := func() { seq++; a.Send("b", heartbeat(seq)) }
			for over := time.Now().Add(length); time.Now().Before(over); time.Sleep(every / 20) {
				beat()
			}
			net.Heal("a", "b")
			healed, first := time.Now(), seq
			for !atB.holds(every/20, func() bool {
				n := len(atB.messages)
				return n > 0 && atB.messages[n-1].Seq > first
			}) {
				beat()
				if time.Since(healed) > patience {
					t.Fatalf("no message in %v", patience)
				}
			}
			took := time.Since(healed)
			t.Logf("cut of %v, flowing again %v after the heal", length, took)
			if took > 2*every+time.Second { // the second is the machine's
				t.Errorf("flowing again %v after the heal, want two intervals of %v", took, every)
			}
		})
	}
}

func redialOfLiveConnection(t *testing.T, start Start) {
	_, a, b, atA, atB := pair(t, start, 2*time.Second)
	before := len(atA.told())
	for seq := uint64(1); seq <= 20; seq++ {
		a.Send("b", heartbeat(seq))
		atB.awaitMessage(t, heartbeat(seq))
		ack := core.Message{Kind: core.Ack, Election: "e", Node: "b", Session: "sb", Holder: "sa", Seq: seq}
		b.Send("a", ack)
		atA.awaitMessage(t, ack)
		a.Redial("b")
	}
	a.Redial("nobody")
	if told := atA.told(); len(told) != before {
		t.Errorf("turns: %v, want none after the first PeerUp", told)
	}
}

func redialOfDeadConnection(t *testing.T, start Start) {
	const every = 2 * time.Second
	net, a, _, atA, _ := pair(t, start, every)
	net.Cut("a", "b")
	cut := time.Now()
	a.Send("b", heartbeat(1))
	for !atA.holds(every/20, func() bool { return atA.isDown("b") }) {
		a.Redial("b")
		if time.Since(cut) > patience {
			t.Fatal("redial did not drop a dead connection")
		}
	}
	if took := time.Since(cut); took > every {
		t.Errorf("redial dropped the connection only after %v, want well under two intervals of %v", took, every)
	}
}

func alternate(t *testing.T, start Start) {
	net, a, _, atA, _ := pair(t, start, interval)
	for range 3 {
		net.Cut("a", "b")
		atA.await(t, "b to be down", func() bool { a.Send("b", heartbeat(1)); return atA.isDown("b") })
		time.Sleep(2 * interval)
		net.Heal("a", "b")
		atA.awaitUp(t, "b")
	}
	told := atA.told()
	for i, turn := range told {
		if i > 0 && turn.up == told[i-1].up {
			t.Fatalf("turns do not alternate: %v", told)
		}
	}
}

func sendNeverBlocks(t *testing.T, start Start) {
	net, a, _, _, _ := pair(t, start, interval)
	net.Cut("a", "b")
	began := time.Now()
	const many = 50_000
	m := heartbeat(0)
	m.Session = string(make([]byte, 1000))
	for i := range uint64(many) {
		m.Seq, m.Election = i, fmt.Sprint("election-", i)
		a.Send("b", m)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("%d sends over a cut took %v", many, took)
	}
}

func nothingAfterStop(t *testing.T, start Start) {
	_, a, b, _, _ := pair(t, start, interval)
	quit := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for seq := uint64(1); ; seq++ {
			select {
			case <-quit:
				return
			default:
				m := heartbeat(seq)
				m.Election = "brief"
				a.Send("b", m)
				time.Sleep(10 * time.Microsecond)
			}
		}
	})
	heard := 0
	for range 50 {
		l := &listener{changed: make(chan struct{})}
		stop := b.Join("brief", l)
		if l.holds(interval, func() bool { return len(l.messages) > 0 }) {
			heard++
		}
		stop()
		before := len(l.messages) // unlocked: after stop nobody else may touch it
		time.Sleep(time.Millisecond)
		if after := len(l.messages); after != before {
			t.Fatalf("%d messages were delivered after stop", after-before)
		}
		stop()
	}
	close(quit)
	sending.Wait()
	if heard == 0 {
		t.Error("no message was delivered before stop either")
	}
}

func nothingAfterClose(t *testing.T, start Start) {
	net := start(t, interval, "a", "b")
	before := goleak.IgnoreCurrent()
	a, b := net.Open(t, "a"), net.Open(t, "b")
	l := &listener{changed: make(chan struct{})}
	b.Join("e", l)
	atA := listen(t, a, "e")
	atA.awaitUp(t, "b")
	l.awaitUp(t, "a")
	a.Send("b", heartbeat(1))
	l.awaitMessage(t, heartbeat(1))
	closed(t, b)
	messages, turns := len(l.messages), len(l.turns) // unlocked, as above
	a.Send("b", heartbeat(2))
	b.Send("a", heartbeat(2))
	b.Redial("a")
	time.Sleep(interval)
	if len(l.messages) != messages || len(l.turns) != turns {
		t.Error("the handler was called after Close")
	}
	closed(t, b)
	closed(t, a)
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

func impostor(t *testing.T, start Start) {
	_, a, _, _, atB := pair(t, start, interval)
	m := heartbeat(1)
	m.Node = "c"
	a.Send("b", m)
	a.Send("b", heartbeat(2))
	atB.awaitMessage(t, heartbeat(2))
	if got := atB.heard(); len(got) != 1 {
		t.Errorf("got %v, want the honest message only", got)
	}
}
