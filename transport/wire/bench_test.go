package wire

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// echo answers heartbeats as an elector does.
type echo struct{ at *Transport }

func (e echo) PeerUp(string)          {}
func (e echo) PeerDown(string, error) {}
func (e echo) Deliver(m core.Message) {
	if m.Kind == core.Heartbeat {
		e.at.Send(m.Node, core.Message{Kind: core.Ack, Election: m.Election, Node: "b", Identity: "ib", Session: "sb", Holder: m.Session, Epoch: m.Epoch, Seq: m.Seq, Asking: m.Asking})
	}
}

// arrivals passes on that something came.
type arrivals chan struct{}

func (a arrivals) PeerUp(string)          {}
func (a arrivals) PeerDown(string, error) {}
func (a arrivals) Deliver(core.Message)   { a <- struct{}{} }

// benchPair connects a and b directly over TLS; b answers each election.
func benchPair(b *testing.B, elections int) (a *Transport, back arrivals) {
	b.Helper()
	dir := certificates(b, "a", "b")
	open := func(node, peer, listen, address string) *Transport {
		opened, err := New(Config{
			Node: node, Listen: listen, TLS: files(dir, node), Interval: 500 * time.Millisecond,
			Peers: []Peer{{Node: peer, Address: address}},
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { opened.Close() })
		return opened
	}
	there := open("b", "a", "127.0.0.1:0", "127.0.0.1:1")
	a = open("a", "b", "127.0.0.1:0", there.Addr().String())
	for !a.Peers()[0].Connected {
		time.Sleep(time.Millisecond)
	}
	back = make(arrivals, elections)
	for i := range elections {
		there.Join(fmt.Sprint(i), echo{there})
		a.Join(fmt.Sprint(i), back)
	}
	return a, back
}

func full(election string, seq uint64) core.Message {
	return core.Message{
		Kind: core.Heartbeat, Election: election, Node: "a", Identity: "7d1c8f6a2b", Session: "0a1b2c3d4e5f6071",
		Epoch: 41, Revision: 97, Version: `"9bb58f26192e4ba00f01e2e7b136bbd8"`, Seq: seq,
		HeartbeatLease: 1500 * time.Millisecond, Asking: true, WallClock: 1_790_000_000_000_000_000,
	}
}

// BenchmarkRoundTrip is one heartbeat and its acknowledgement, over loopback
// with TLS.
func BenchmarkRoundTrip(b *testing.B) {
	a, back := benchPair(b, 1)
	b.ReportAllocs()
	seq := uint64(0)
	for b.Loop() {
		seq++
		a.Send("b", full("0", seq))
		<-back
	}
}

// BenchmarkThousandElections is one heartbeat of each of a thousand elections
// and all their acknowledgements.
func BenchmarkThousandElections(b *testing.B) {
	const elections = 1000
	a, back := benchPair(b, elections)
	names := make([]string, elections)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	b.ReportAllocs()
	seq := uint64(0)
	before, spent := a.Counters()[0], processTime(b)
	for b.Loop() {
		seq++
		for _, name := range names {
			a.Send("b", full(name, seq))
		}
		for range elections {
			<-back
		}
	}
	after := a.Counters()[0]
	b.ReportMetric(float64(after.FramesSent-before.FramesSent)/float64(seq), "frames/op")
	b.ReportMetric(float64(processTime(b)-spent)/float64(seq)/elections, "cpu-ns/heartbeat")
}

// processTime is what this process has used of the machine's processors: both
// nodes, and unlike the time elapsed not what others use.
func processTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
