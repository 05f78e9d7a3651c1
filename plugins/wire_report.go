package plugins

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

func reportToWire(r core.ArbiterReport) *pb.ReportResponse {
	wire := &pb.ReportResponse{}
	for _, node := range r.Preferred {
		wire.Preferred = append(wire.Preferred, clip(node))
	}
	for _, problem := range r.Problems {
		wire.Problems = append(wire.Problems, clip(problem))
	}
	if r.Credentials != (core.Credentials{}) {
		c := r.Credentials
		wire.Credentials = &pb.Credentials{Source: clip(c.Source), Id: clip(c.ID), Problem: clip(c.Problem)}
		if !c.Expires.IsZero() {
			wire.Credentials.Expires = timestamppb.New(c.Expires)
		}
	}
	return wire
}

// reportFromWire hides what the configuration marks as sensitive: a report is
// made to be shown.
func reportFromWire(wire *pb.ReportResponse, hide func(string) string) core.ArbiterReport {
	c := wire.GetCredentials()
	r := core.ArbiterReport{
		Preferred:   wire.GetPreferred(),
		Credentials: core.Credentials{Source: hide(c.GetSource()), ID: hide(c.GetId()), Problem: hide(c.GetProblem())},
	}
	if c.GetExpires() != nil {
		r.Credentials.Expires = c.GetExpires().AsTime()
	}
	for i, node := range r.Preferred {
		r.Preferred[i] = printable(node)
	}
	for _, problem := range wire.GetProblems() {
		r.Problems = append(r.Problems, hide(problem))
	}
	return r
}
