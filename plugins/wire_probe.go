package plugins

import (
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// verdicts pairs every verdict with its name on the wire.
var verdicts = []struct {
	here core.Verdict
	wire pb.Verdict
}{
	{core.Passed, pb.Verdict_VERDICT_PASSED},
	{core.Noted, pb.Verdict_VERDICT_NOTED},
	{core.Warned, pb.Verdict_VERDICT_WARNED},
	{core.Unreachable, pb.Verdict_VERDICT_UNREACHABLE},
	{core.Refused, pb.Verdict_VERDICT_REFUSED},
}

func verdictToWire(v core.Verdict) pb.Verdict {
	for _, pair := range verdicts {
		if pair.here == v {
			return pair.wire
		}
	}
	return pb.Verdict_VERDICT_UNSPECIFIED
}

// verdictFromWire takes a verdict it does not know for the worst there is: an
// election must not start on a store that nobody here can judge.
func verdictFromWire(v pb.Verdict) core.Verdict {
	for _, pair := range verdicts {
		if pair.wire == v {
			return pair.here
		}
	}
	return core.Refused
}

func probeToWire(r core.ProbeReport) *pb.ProbeResponse {
	wire := &pb.ProbeResponse{
		Store:    r.Store,
		Read:     latenciesToWire(r.Read),
		Write:    latenciesToWire(r.Write),
		Requests: int64(r.Requests),
	}
	if r.OffsetBy > 0 {
		wire.ClockOffset = durationpb.New(r.Offset)
		wire.ClockOffsetBy = durationpb.New(r.OffsetBy)
	}
	for _, f := range r.Findings {
		wire.Findings = append(wire.Findings, &pb.Finding{
			Check:    f.Check,
			Why:      f.Why,
			Verdict:  verdictToWire(f.Verdict),
			Observed: f.Observed,
			Advice:   f.Advice,
		})
	}
	return wire
}

// probeFromWire hides what the configuration marks as sensitive: a report is made
// to be shown.
func probeFromWire(wire *pb.ProbeResponse, hide func(string) string) core.ProbeReport {
	r := core.ProbeReport{
		Store:    hide(wire.GetStore()),
		Read:     latenciesFromWire(wire.GetRead()),
		Write:    latenciesFromWire(wire.GetWrite()),
		Offset:   wire.GetClockOffset().AsDuration(),
		OffsetBy: wire.GetClockOffsetBy().AsDuration(),
		Requests: int(wire.GetRequests()),
	}
	for _, f := range wire.GetFindings() {
		r.Findings = append(r.Findings, core.Finding{
			Check:    hide(f.GetCheck()),
			Why:      hide(f.GetWhy()),
			Verdict:  verdictFromWire(f.GetVerdict()),
			Observed: hide(f.GetObserved()),
			Advice:   hide(f.GetAdvice()),
		})
	}
	return r
}

func latenciesToWire(l core.Latencies) *pb.Latencies {
	return &pb.Latencies{
		Count: int64(l.Count),
		P50:   durationpb.New(l.P50),
		P90:   durationpb.New(l.P90),
		P99:   durationpb.New(l.P99),
	}
}

func latenciesFromWire(l *pb.Latencies) core.Latencies {
	return core.Latencies{
		Count: int(l.GetCount()),
		P50:   l.GetP50().AsDuration(),
		P90:   l.GetP90().AsDuration(),
		P99:   l.GetP99().AsDuration(),
	}
}
