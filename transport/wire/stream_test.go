package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/transport/wire/wirepb"
)

// caller is a peer that says what it is told to.
type caller struct {
	grpc.BidiStreamingClient[pb.Frame, pb.Frame]
}

// call opens a stream to b with the opening given, which may be nil.
func call(t *testing.T, b *Transport, id *identity, opening *pb.Opening) caller {
	t.Helper()
	var c credentials.TransportCredentials = insecure.NewCredentials()
	if id != nil {
		c = credentials.NewTLS(id.client("b"))
	}
	conn, err := grpc.NewClient("passthrough:///"+b.Addr().String(), grpc.WithTransportCredentials(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	stream, err := pb.NewPeerClient(conn).Converse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&pb.Frame{Opening: opening}); err != nil {
		t.Fatal(err)
	}
	return caller{stream}
}

// welcomed is call, for a caller that is let in.
func welcomed(t *testing.T, b *Transport) caller {
	t.Helper()
	c := call(t, b, nil, &pb.Opening{Protocol: protocol, Node: "a"})
	frame, err := c.Recv()
	if err != nil || frame.GetOpening().GetNode() != "b" {
		t.Fatalf("got %v, %v, want b's opening", frame, err)
	}
	return c
}

func (c caller) send(t *testing.T, messages ...core.Message) {
	t.Helper()
	frame, n := frameOf(messages)
	if n != len(messages) {
		t.Fatal("too many for one frame")
	}
	if err := c.Send(frame); err != nil {
		t.Fatal(err)
	}
}

// lonelyB is node b with peer a, which is not there.
func lonelyB(t *testing.T, log *script) *Transport {
	t.Helper()
	c := Config{Node: "b", Insecure: true, Peers: []Peer{{Node: "a", Address: "127.0.0.1:1"}}}
	if log != nil {
		c.Log = log.logger()
	}
	return start(t, c)
}

// TestOpeningsAreChecked claims, over good TLS, to be someone else.
func TestOpeningsAreChecked(t *testing.T) {
	dir := certificates(t, "a", "b", "c")
	b := start(t, Config{Node: "b", TLS: files(dir, "b"), Peers: []Peer{{Node: "a", Address: "127.0.0.1:1"}, {Node: "c", Address: "127.0.0.1:1"}}})
	id, err := newIdentity("a", files(dir, "a"), b.log)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		opening *pb.Opening
		want    string
	}{
		"another peer":     {&pb.Opening{Protocol: protocol, Node: "c"}, `calls itself node "c", its certificate is for ["a"]`},
		"nobody":           {&pb.Opening{Protocol: protocol}, `calls itself node ""`},
		"no opening":       {nil, "speaks protocol 0"},
		"another protocol": {&pb.Opening{Protocol: 2, Node: "a"}, "speaks protocol 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, b, id, test.opening).Recv()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	c := call(t, b, id, &pb.Opening{Protocol: protocol, Node: "a"})
	if _, err := c.Recv(); err != nil {
		t.Errorf("the real a was refused: %v", err)
	}
}

// TestAnswersReturnOnTheirConnection has two machines that both are node a.
func TestAnswersReturnOnTheirConnection(t *testing.T) {
	b := lonelyB(t, nil)
	r := &record{}
	b.Join("e", r)
	one, two := welcomed(t, b), welcomed(t, b)
	for round := range uint64(20) {
		for session, c := range map[string]caller{"one": one, "two": two} {
			m := beat("e", round)
			m.Session = session
			c.send(t, m)
		}
		eventually(t, "both heartbeats are there", func() bool { return uint64(len(r.all())) == 2*(round+1) })
		for _, session := range []string{"one", "two"} {
			b.Send("a", core.Message{Kind: core.Ack, Election: "e", Node: "b", Holder: session, Seq: round})
		}
		for session, c := range map[string]caller{"one": one, "two": two} {
			frame, err := c.Recv()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range frame.GetMessages() {
				if m.GetHolder() != session {
					t.Fatalf("connection %s got the answer to %s", session, m.GetHolder())
				}
			}
		}
	}
	b.Send("a", core.Message{Kind: core.Heartbeat, Election: "e", Node: "b"})
	if c := b.Counters()[0]; c.Dropped != 1 {
		t.Errorf("%d dropped, want the heartbeat only: it has no connection of b's own to go on", c.Dropped)
	}
}

func TestAnswersWithoutAConnectionAreDropped(t *testing.T) {
	b := lonelyB(t, nil)
	b.Send("a", core.Message{Kind: core.Ack, Election: "e", Node: "b"})
	if c := b.Counters()[0]; c.Dropped != 1 || c.Sent != 0 {
		t.Errorf("counters: %+v", c)
	}
}

// TestOnlySoManyConnectionsOfOnePeer opens more than a peer can need.
func TestOnlySoManyConnectionsOfOnePeer(t *testing.T) {
	b := lonelyB(t, nil)
	first := welcomed(t, b)
	var last caller
	for range maxStreams {
		last = welcomed(t, b)
	}
	if _, err := first.Recv(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("the first connection got %v, want to be replaced", err)
	}
	if err := last.Send(&pb.Frame{Ping: true}); err != nil {
		t.Fatal(err)
	}
	if frame, err := last.Recv(); err != nil || !frame.GetPong() {
		t.Errorf("the last connection got %v, %v, want a pong", frame, err)
	}
}

// TestWrongMessagesAreDropped sends what no electd of today would send.
func TestWrongMessagesAreDropped(t *testing.T) {
	var log script
	b := lonelyB(t, &log)
	r := &record{}
	b.Join("e", r)
	a := welcomed(t, b)
	impostor, negative, endless, future := beat("e", 1), beat("e", 2), beat("e", 3), beat("e", 4)
	impostor.Node = "c"
	negative.ArbiterLeft = -1
	endless.HeartbeatLease = 1<<63 - 1
	future.Kind = 99
	for range 3 {
		a.send(t, impostor, negative, endless, future)
	}
	if err := a.Send(&pb.Frame{Messages: []*pb.Message{{}, nil}}); err != nil {
		t.Fatal(err)
	}
	a.send(t, beat("e", 5))
	eventually(t, "the good message is there", func() bool { return r.last() == 5 })
	if got := r.all(); len(got) != 1 {
		t.Errorf("got %v, want the good message only", got)
	}
	if c := b.Counters()[0]; c.Refused != 14 || c.Received != 1 {
		t.Errorf("counters: %+v", c)
	}
	if log.count("claimed=c") != 1 || log.count("malformed message") != 1 {
		t.Errorf("want one line of each kind of mistake:\n%s", &log)
	}
}

// TestUnsendableMessagesCostOnlyThemselves sends what would spoil a frame.
func TestUnsendableMessagesCostOnlyThemselves(t *testing.T) {
	m := newMesh(t, "", 100*time.Millisecond, "a", "b")
	a, b, atB := pairOf(t, m)
	defer a.Close()
	defer b.Close()
	odd, long := beat("e", 1), beat("e", 2)
	odd.Identity = "\xff"
	long.Target = strings.Repeat("x", maxMessage+1)
	for _, bad := range []core.Message{odd, long, beat("e", 3)} {
		a.Send("b", bad)
	}
	eventually(t, "the good message is there", func() bool { return atB.last() == 3 })
	if c := a.Counters()[0]; c.Dropped != 2 || c.Connects != 1 {
		t.Errorf("counters: %+v", c)
	}
}

// TestOversizedFrame is refused without harm to anybody else.
func TestOversizedFrame(t *testing.T) {
	b := lonelyB(t, nil)
	a := welcomed(t, b)
	big := make([]*pb.Message, 100)
	for i := range big {
		big[i] = &pb.Message{Target: strings.Repeat("x", maxFrame/50)}
	}
	if err := a.Send(&pb.Frame{Messages: big}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Recv(); err == nil || !strings.Contains(err.Error(), "larger than max") {
		t.Errorf("got %v, want the stream to end", err)
	}
	welcomed(t, b)
}

// TestAThousandElectionsShareOneStream beats all of them at once, as they do
// in a process whose elections have one interval.
func TestAThousandElectionsShareOneStream(t *testing.T) {
	const elections, rounds = 1000, 20
	m := newMesh(t, certificates(t, "a", "b"), 500*time.Millisecond, "a", "b")
	a, b, _ := pairOf(t, m)
	defer a.Close()
	defer b.Close()
	heard := make([]*record, elections)
	for i := range heard {
		heard[i] = &record{}
		defer b.Join(fmt.Sprint(i), heard[i])()
	}
	before, dialled := a.Counters()[0], m.proxies[[2]string{"a", "b"}].accepted()
	for round := uint64(1); round <= rounds; round++ {
		for i := range elections {
			a.Send("b", beat(fmt.Sprint(i), round))
		}
		eventually(t, "all heartbeats are there", func() bool {
			for _, r := range heard {
				if r.last() != round {
					return false
				}
			}
			return true
		})
	}
	after := a.Counters()[0]
	frames, messages := after.FramesSent-before.FramesSent, after.Sent-before.Sent
	t.Logf("%d messages in %d frames", messages, frames)
	if messages != elections*rounds {
		t.Errorf("%d messages sent, want %d", messages, elections*rounds)
	}
	if frames > messages/10 {
		t.Errorf("%d frames for %d messages: they are not batched", frames, messages)
	}
	if more := m.proxies[[2]string{"a", "b"}].accepted() - dialled; after.Connects != 1 || more != 0 {
		t.Errorf("%d elections made %d more connections, want one for all", elections, more)
	}
}

// TestLargeBatchesAreSplit sends more at once than one frame may hold.
func TestLargeBatchesAreSplit(t *testing.T) {
	var all []core.Message
	for i := range uint64(200) {
		m := beat(fmt.Sprint(i), i)
		m.Version = core.Version(strings.Repeat("v", maxMessage/2))
		all = append(all, m)
	}
	box := &outbox{counters: &counters{}}
	var sent []core.Message
	err := box.sendAll(all, true, false, func(f *pb.Frame) (bool, error) {
		size := 0
		for _, p := range f.GetMessages() {
			m, err := decode(p)
			if err != nil {
				return false, err
			}
			size += len(m.Version)
			sent = append(sent, m)
		}
		if size > maxFrame/2 {
			return false, errors.New("frame too large")
		}
		if f.GetPing() != (len(sent) == len(f.GetMessages())) {
			return false, errors.New("the ping belongs into the first frame")
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sent) != len(all) || sent[199] != all[199] {
		t.Errorf("%d messages arrived, want %d in order", len(sent), len(all))
	}
}
