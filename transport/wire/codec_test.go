package wire

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/transport/wire/wirepb"
)

// TestEveryFieldIsCarried fails when core.Message gains a field that the wire
// does not know.
func TestEveryFieldIsCarried(t *testing.T) {
	base := core.Message{Kind: core.Hello, Election: "e", Node: "a"}
	for i := range reflect.TypeFor[core.Message]().NumField() {
		m := base
		field := reflect.ValueOf(&m).Elem().Field(i)
		name := reflect.TypeFor[core.Message]().Field(i).Name
		switch {
		case name == "Kind":
			m.Kind = core.HandOver
		case name == "Version":
			m.Version = "opaque \xff\x00"
		case field.Kind() == reflect.String:
			field.SetString("x")
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.CanInt():
			field.SetInt(1 << 40)
		case field.CanUint():
			field.SetUint(1<<64 - 1)
		default:
			t.Fatalf("field %s has a type that this test does not know", name)
		}
		frame, _ := frameOf([]core.Message{m})
		data, err := proto.Marshal(frame)
		if err != nil {
			t.Fatal(err)
		}
		var back pb.Frame
		if err := proto.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if got, err := decode(back.GetMessages()[0]); err != nil || got != m {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// FuzzDecode checks that whatever a peer may send is either refused or stands
// for a message that can be sent on.
func FuzzDecode(f *testing.F) {
	for kind := core.Hello; kind <= core.HandOver; kind++ {
		frame, _ := frameOf([]core.Message{{
			Kind: kind, Election: "orders", Node: "db-a", Identity: "i", Session: "s", Epoch: 7, Revision: 9,
			Version: `"etag"`, Seq: 3, ArbiterLeft: 30e9, HeartbeatLease: 15e8, Asking: true, Holder: "h",
			HasFloor: true, Floor: 6, Eligible: true, Priority: -1, APIAddress: "127.0.0.1:7401", WallClock: -5,
		}})
		data, err := proto.Marshal(frame)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var frame pb.Frame
		if proto.Unmarshal(data, &frame) != nil {
			return
		}
		for _, p := range frame.GetMessages() {
			m, err := decode(p)
			if err != nil {
				continue
			}
			if m.Kind < core.Hello || m.Kind > core.HandOver || m.ArbiterLeft < 0 || m.HeartbeatLease < 0 || m.Election == "" {
				t.Fatalf("accepted %+v", m)
			}
			again, n := frameOf([]core.Message{m})
			encoded, err := proto.Marshal(again)
			if err != nil || n != 1 {
				t.Fatalf("%+v cannot be sent on: %v", m, err)
			}
			var back pb.Frame
			if err := proto.Unmarshal(encoded, &back); err != nil {
				t.Fatal(err)
			}
			if got, err := decode(back.GetMessages()[0]); err != nil || got != m {
				t.Fatalf("%+v became %+v, %v", m, got, err)
			}
		}
	})
}
