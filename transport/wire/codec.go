package wire

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/transport/wire/wirepb"
)

// Bounds of what is sent and accepted. A frame is closed when it has maxBatch
// messages or batchBytes, so that with one more message it stays below maxFrame.
const (
	maxFrame   = 4 << 20
	batchBytes = 1 << 20
	maxBatch   = 4096
	maxMessage = 64 << 10
)

// maxDuration is longer than any lease, and short enough to be added to any
// instant without overflow.
const maxDuration = 366 * 24 * time.Hour

var errKind = errors.New("unknown kind of message")

// sendable says why a message must not be put into a frame: it would make the
// whole frame unacceptable to the peer.
func sendable(m core.Message) error {
	size := len(m.Version)
	for _, s := range [...]string{m.Election, m.Node, m.Identity, m.Session, m.Holder, m.APIAddress, m.Software, m.Successor, m.Target} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8", s)
		}
		size += len(s)
	}
	if size > maxMessage {
		return fmt.Errorf("%d bytes, at most %d are possible", size, maxMessage)
	}
	return nil
}

// encode writes m into p, which must be zero.
func encode(m *core.Message, p *pb.Message) {
	p.Kind = pb.Kind(m.Kind)
	p.Election = m.Election
	p.Node = m.Node
	p.Identity = m.Identity
	p.Session = m.Session
	p.Epoch = uint64(m.Epoch)
	p.Revision = uint64(m.Revision)
	p.Version = []byte(m.Version)
	p.Seq = m.Seq
	p.ArbiterLeft = int64(m.ArbiterLeft)
	p.HeartbeatLease = int64(m.HeartbeatLease)
	p.Asking = m.Asking
	p.Holder = m.Holder
	p.HasFloor = m.HasFloor
	p.Floor = uint64(m.Floor)
	p.Eligible = m.Eligible
	p.Paused = m.Paused
	p.Priority = int64(m.Priority)
	p.ApiAddress = m.APIAddress
	p.Software = m.Software
	p.Successor = m.Successor
	p.Target = m.Target
	p.WallClock = m.WallClock
}

// decode is the reverse of encode. It returns errKind for a kind that only a
// later version knows, and another error for what no version would send.
func decode(p *pb.Message) (core.Message, error) {
	m := core.Message{
		Kind:           core.MessageKind(p.GetKind()),
		Election:       p.GetElection(),
		Node:           p.GetNode(),
		Identity:       p.GetIdentity(),
		Session:        p.GetSession(),
		Epoch:          core.Epoch(p.GetEpoch()),
		Revision:       core.Revision(p.GetRevision()),
		Version:        core.Version(p.GetVersion()),
		Seq:            p.GetSeq(),
		ArbiterLeft:    time.Duration(p.GetArbiterLeft()),
		HeartbeatLease: time.Duration(p.GetHeartbeatLease()),
		Asking:         p.GetAsking(),
		Holder:         p.GetHolder(),
		HasFloor:       p.GetHasFloor(),
		Floor:          core.Epoch(p.GetFloor()),
		Eligible:       p.GetEligible(),
		Paused:         p.GetPaused(),
		Priority:       int(p.GetPriority()),
		APIAddress:     p.GetApiAddress(),
		Software:       p.GetSoftware(),
		Successor:      p.GetSuccessor(),
		Target:         p.GetTarget(),
		WallClock:      p.GetWallClock(),
	}
	switch {
	case p.GetKind() < pb.Kind_KIND_HELLO || p.GetKind() > pb.Kind_KIND_HAND_OVER:
		return core.Message{}, errKind
	case m.Election == "" || m.Node == "":
		return core.Message{}, errors.New("election or node is missing")
	case m.ArbiterLeft < 0 || m.ArbiterLeft > maxDuration:
		return core.Message{}, fmt.Errorf("arbiter_left %v is no possible lease", m.ArbiterLeft)
	case m.HeartbeatLease < 0 || m.HeartbeatLease > maxDuration:
		return core.Message{}, fmt.Errorf("heartbeat_lease %v is no possible lease", m.HeartbeatLease)
	}
	return m, sendable(m)
}

// frameOf packs as many of the messages as one frame may hold and returns it
// with the number packed.
func frameOf(messages []core.Message) (*pb.Frame, int) {
	if len(messages) == 0 {
		return &pb.Frame{}, 0
	}
	messages = messages[:min(len(messages), maxBatch)]
	block := make([]pb.Message, len(messages))
	frame := &pb.Frame{Messages: make([]*pb.Message, 0, len(messages))}
	bytes := 0
	for i := range messages {
		encode(&messages[i], &block[i])
		frame.Messages = append(frame.Messages, &block[i])
		if bytes += proto.Size(&block[i]); bytes >= batchBytes {
			break
		}
	}
	return frame, len(frame.Messages)
}
