package plugins

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// FuzzWire checks that whatever a plugin answers is refused or read as what it
// can mean: what is read of it stays the same when it is sent on, an age is never
// larger than was said, and what is made to be shown is fit for a terminal.
func FuzzWire(f *testing.F) {
	for _, m := range []proto.Message{
		&pb.Snapshot{Version: []byte("v1"), Record: []byte(`{"format":1}`), Age: durationpb.New(time.Second), StoreTime: timestamppb.New(time.Unix(1893553445, 0))},
		&pb.Snapshot{Age: durationpb.New(-time.Second)},
		schemaToWire(Schema{Attributes: []Attribute{
			{Name: "bucket", Type: TypeString, Required: true, Doc: "Name."},
			{Name: "wait", Type: TypeDuration, Default: time.Second},
			{Name: "tags", Type: TypeStringMap, Default: map[string]string{"a": "b"}},
			{Name: "tls", Type: TypeBlock, Block: &Schema{Attributes: []Attribute{{Name: "key", Type: TypeString, Sensitive: true}}}},
		}}),
		probeToWire(core.ProbeReport{Store: "s", OffsetBy: 1, Findings: []core.Finding{{Check: "c", Why: "w", Verdict: core.Warned, Observed: "o\x1b[31m"}}}),
		reportToWire(core.ArbiterReport{Preferred: []string{"db-b\n"}, Problems: []string{"p"}, Credentials: core.Credentials{Source: "s", Expires: time.Unix(1, 0)}}),
		&pb.ConfigureResponse{Diagnostics: []*pb.Diagnostic{{Attribute: "bucket", Problem: "p", Cause: "\r"}, {Problem: "q"}, {}}},
	} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	hide := (&secrets{}).hide
	f.Fuzz(func(t *testing.T, data []byte) {
		if wire := new(pb.Snapshot); proto.Unmarshal(data, wire) == nil {
			snapshotRead(t, wire)
		}
		if wire := new(pb.Schema); proto.Unmarshal(data, wire) == nil {
			if s, err := schemaFromWire(wire, 3); err == nil {
				again, err := schemaFromWire(schemaToWire(s), 3)
				if err != nil || !proto.Equal(schemaToWire(again), schemaToWire(s)) {
					t.Fatalf("%+v became %+v, %v", s, again, err)
				}
			}
		}
		if wire := new(pb.ProbeResponse); proto.Unmarshal(data, wire) == nil {
			r := probeFromWire(wire, hide)
			shown(t, r.Store)
			for _, finding := range r.Findings {
				shown(t, finding.Check, finding.Why, finding.Observed, finding.Advice)
				if verdictToWire(finding.Verdict) == pb.Verdict_VERDICT_UNSPECIFIED {
					t.Fatalf("the verdict %v", finding.Verdict)
				}
			}
		}
		if wire := new(pb.ReportResponse); proto.Unmarshal(data, wire) == nil {
			r := reportFromWire(wire, hide)
			shown(t, r.Credentials.Source, r.Credentials.ID, r.Credentials.Problem)
			shown(t, r.Preferred...)
			shown(t, r.Problems...)
		}
		if wire := new(pb.ConfigureResponse); proto.Unmarshal(data, wire) == nil {
			err := diagnosed(wire.GetDiagnostics(), hide)
			if (err == nil) != (len(wire.GetDiagnostics()) == 0) {
				t.Fatalf("%d diagnostics became %v", len(wire.GetDiagnostics()), err)
			}
			var fault *core.AttributeError
			if errors.As(err, &fault) {
				shown(t, fault.Error())
			}
		}
	})
}

func snapshotRead(t *testing.T, wire *pb.Snapshot) {
	s := snapshotFromWire(wire, Capabilities{Age: true})
	if s.Age < 0 || s.Age > max(0, wire.GetAge().AsDuration()) {
		t.Fatalf("%v is read as the age %s", wire, s.Age)
	}
	if again := snapshotFromWire(snapshotToWire(s), Capabilities{Age: true}); !proto.Equal(snapshotToWire(again), snapshotToWire(s)) {
		t.Fatalf("%+v became %+v", s, again)
	}
	if s := snapshotFromWire(wire, Capabilities{}); s.Age != 0 || !s.StoreTime.IsZero() {
		t.Fatalf("%+v of a plugin that knows no ages", s)
	}
}

func shown(t *testing.T, texts ...string) {
	for _, text := range texts {
		if text != printable(text) {
			t.Fatalf("not fit for a terminal: %q", text)
		}
	}
}
