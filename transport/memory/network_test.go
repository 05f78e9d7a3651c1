package memory

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
	"github.com/electd/electd/transport/transporttest"
)

type suiteNet struct{ *Network }

func (n suiteNet) Open(_ *testing.T, node string) transport.Transport { return n.Node(node) }
func (n suiteNet) Cut(a, b string)                                    { n.Network.Cut(a, b); n.Network.Cut(b, a) }
func (n suiteNet) Heal(a, b string)                                   { n.Network.Heal(a, b); n.Network.Heal(b, a) }

func TestTransport(t *testing.T) {
	transporttest.Run(t, func(_ *testing.T, interval time.Duration, nodes ...string) transporttest.Net {
		return suiteNet{New(Config{Nodes: nodes, Interval: interval})}
	})
}

// log is a handler that keeps sequence numbers and turns with their instants.
type log struct {
	began time.Time
	seqs  []uint64
	at    []time.Duration
	turns []string
}

func (l *log) Deliver(m core.Message) {
	l.seqs = append(l.seqs, m.Seq)
	l.at = append(l.at, time.Since(l.began))
}
func (l *log) PeerUp(peer string) {
	l.turns = append(l.turns, peer+" up "+time.Since(l.began).String())
}
func (l *log) PeerDown(peer string, why error) {
	l.turns = append(l.turns, peer+" down "+time.Since(l.began).String()+": "+why.Error())
}

// pair runs f in a bubble with nodes a and b on a network like c; b listens.
func pair(t *testing.T, c Config, f func(t *testing.T, n *Network, a, b transport.Transport, at *log)) {
	synctest.Test(t, func(t *testing.T) {
		c.Nodes = []string{"a", "b"}
		n := New(c)
		a, b := n.Node("a"), n.Node("b")
		l := &log{began: time.Now()}
		b.Join("e", l)
		synctest.Wait()
		f(t, n, a, b, l)
		a.Close()
		b.Close()
	})
}

func beat(seq uint64) core.Message {
	return core.Message{Kind: core.Heartbeat, Election: "e", Node: "a", Seq: seq}
}

func TestDelayIsPerDirection(t *testing.T) {
	pair(t, Config{}, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
		n.SetLink("a", "b", Link{Delay: 70 * time.Millisecond})
		back := &log{began: at.began}
		a.Join("e", back)
		a.Send("b", beat(1))
		m := beat(2)
		m.Node = "b"
		b.Send("a", m)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(at.at) != 1 || at.at[0] != 70*time.Millisecond {
			t.Errorf("a to b took %v, want 70ms", at.at)
		}
		if len(back.at) != 1 || back.at[0] != 0 {
			t.Errorf("b to a took %v, want no time", back.at)
		}
	})
}

func TestOrderIsKeptWithoutJitter(t *testing.T) {
	pair(t, Config{Link: Link{Delay: time.Millisecond}}, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
		for seq := range uint64(100) {
			a.Send("b", beat(seq))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(at.seqs) != 100 {
			t.Fatalf("%d messages, want 100", len(at.seqs))
		}
		for i, seq := range at.seqs {
			if seq != uint64(i) {
				t.Fatalf("message %d arrived at place %d", seq, i)
			}
		}
	})
}

func TestFaultsRepeatWithTheirSeed(t *testing.T) {
	run := func(seed uint64) (seqs []uint64) {
		c := Config{Seed: seed, Link: Link{Jitter: 10 * time.Millisecond, Loss: 0.3, Duplicate: 0.2}}
		pair(t, c, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
			for seq := range uint64(1000) {
				a.Send("b", beat(seq))
			}
			time.Sleep(time.Second)
			synctest.Wait()
			seqs = at.seqs
		})
		return seqs
	}
	first, again, other := run(1), run(1), run(2)
	if !slices.Equal(first, again) {
		t.Error("the same seed gave different faults")
	}
	if slices.Equal(first, other) {
		t.Error("different seeds gave the same faults")
	}
	copies := map[uint64]int{}
	overtaken := 0
	for i, seq := range first {
		copies[seq]++
		if i > 0 && seq < first[i-1] {
			overtaken++
		}
	}
	twice := 0
	for _, n := range copies {
		if n == 2 {
			twice++
		}
	}
	if lost := 1000 - len(copies); lost < 200 || lost > 400 {
		t.Errorf("%d of 1000 lost, want about 300", lost)
	}
	if twice < 80 || twice > 200 {
		t.Errorf("%d of 1000 arrived twice, want about 140", twice)
	}
	if overtaken == 0 {
		t.Error("no message overtook another in spite of jitter")
	}
}

func TestOneWayCut(t *testing.T) {
	pair(t, Config{Interval: 100 * time.Millisecond}, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
		back := &log{began: at.began}
		a.Join("e", back)
		time.Sleep(time.Second) // a found nobody at first, and dials again
		n.Cut("b", "a")
		a.Send("b", beat(1))
		m := beat(2)
		m.Node = "b"
		b.Send("a", m)
		time.Sleep(time.Second)
		a.Send("b", beat(3))
		n.Heal("b", "a")
		time.Sleep(time.Second)
		b.Send("a", m)
		synctest.Wait()
		if !slices.Equal(at.seqs, []uint64{1, 3}) {
			t.Errorf("the open direction carried %v, want 1 and 3", at.seqs)
		}
		if !slices.Equal(back.seqs, []uint64{2}) || back.at[0] != 3*time.Second {
			t.Errorf("the cut direction carried %v at %v, want 2 after the heal only", back.seqs, back.at)
		}
		if want := []string{"a up 0s", "a down 1.2s: the way is cut", "a up 2.1s"}; !slices.Equal(at.turns, want) {
			t.Errorf("turns at b: %q, want %q", at.turns, want)
		}
		if want := []string{"b up 100ms", "b down 1.2s: the way is cut", "b up 2.1s"}; !slices.Equal(back.turns, want) {
			t.Errorf("turns at a: %q, want %q", back.turns, want)
		}
	})
}

func TestWhatIsUnderWayAtACutIsLost(t *testing.T) {
	pair(t, Config{Link: Link{Delay: 50 * time.Millisecond}}, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
		a.Send("b", beat(1))
		time.Sleep(10 * time.Millisecond)
		n.Cut("a", "b")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(at.seqs) != 0 {
			t.Errorf("got %v through a cut", at.seqs)
		}
	})
}

func TestShortCutIsNotNoticed(t *testing.T) {
	pair(t, Config{Interval: 100 * time.Millisecond}, func(t *testing.T, n *Network, a, b transport.Transport, at *log) {
		n.Cut("a", "b")
		time.Sleep(150 * time.Millisecond)
		n.Heal("a", "b")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(at.turns) != 1 {
			t.Errorf("turns: %q, want one up only", at.turns)
		}
	})
}
