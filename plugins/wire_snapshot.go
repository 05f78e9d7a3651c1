package plugins

import (
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// intents pairs every intent with its name on the wire.
var intents = []struct {
	here core.Intent
	wire pb.Intent
}{
	{core.Take, pb.Intent_INTENT_TAKE},
	{core.Renew, pb.Intent_INTENT_RENEW},
	{core.Release, pb.Intent_INTENT_RELEASE},
}

func swapToWire(s core.Swap) *pb.CompareAndSwapRequest {
	wire := &pb.CompareAndSwapRequest{Key: s.Key, Expected: []byte(s.Expected), Record: s.Record}
	for _, pair := range intents {
		if pair.here == s.Intent {
			wire.Intent = pair.wire
		}
	}
	return wire
}

func swapFromWire(wire *pb.CompareAndSwapRequest) core.Swap {
	s := core.Swap{Key: wire.GetKey(), Expected: core.Version(wire.GetExpected()), Record: wire.GetRecord()}
	for _, pair := range intents {
		if pair.wire == wire.GetIntent() {
			s.Intent = pair.here
		}
	}
	return s
}

func snapshotToWire(s core.Snapshot) *pb.Snapshot {
	wire := &pb.Snapshot{Version: []byte(s.Version), Record: s.Record}
	if s.Age > 0 {
		wire.Age = durationpb.New(s.Age)
	}
	if !s.StoreTime.IsZero() {
		wire.StoreTime = timestamppb.New(s.StoreTime)
	}
	return wire
}

// snapshotFromWire takes an age for unknown that is negative, that belongs to no
// record, or that the plugin never said it knows: an age must never be larger
// than the truth.
func snapshotFromWire(wire *pb.Snapshot, can Capabilities) core.Snapshot {
	s := core.Snapshot{Version: core.Version(wire.GetVersion()), Record: wire.GetRecord()}
	if !can.Age {
		return s
	}
	if s.Version != "" {
		s.Age = max(0, wire.GetAge().AsDuration())
	}
	if wire.GetStoreTime() != nil {
		s.StoreTime = wire.GetStoreTime().AsTime()
	}
	return s
}
