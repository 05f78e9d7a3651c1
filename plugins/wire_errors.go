package plugins

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// failures pairs the outcomes that are certain failures with their names on the
// wire. Conflict and Unknown are not among them: on a write they travel in the
// response, on a read they mean nothing.
var failures = []struct {
	outcome core.Outcome
	wire    pb.ErrorCode
	grpc    codes.Code // for those who look at the traffic; nothing is decided by it
}{
	{core.Unavailable, pb.ErrorCode_ERROR_CODE_UNAVAILABLE, codes.Unavailable},
	{core.Throttled, pb.ErrorCode_ERROR_CODE_THROTTLED, codes.ResourceExhausted},
	{core.Denied, pb.ErrorCode_ERROR_CODE_DENIED, codes.PermissionDenied},
	{core.Invalid, pb.ErrorCode_ERROR_CODE_INVALID, codes.InvalidArgument},
	{core.Corrupt, pb.ErrorCode_ERROR_CODE_CORRUPT, codes.DataLoss},
}

// remoteError is an error that came across the boundary: the plugin's text, and
// the code it stands for.
type remoteError struct {
	code error
	text string
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.code }

// coded makes an error of a plugin's text and the code it stands for.
func coded(code error, text string) error {
	if text == "" {
		return code
	}
	return &remoteError{code: code, text: text}
}

// notApplied is the gRPC error of a write that certainly did not happen; the
// outcome is one of failures.
func notApplied(outcome core.Outcome, err error) error {
	for _, f := range failures {
		if f.outcome == outcome {
			return withDetail(f.grpc, err, &pb.NotApplied{Code: f.wire})
		}
	}
	return status.Error(codes.Unknown, err.Error())
}

// failed is the gRPC error of anything but a write.
func failed(err error) error {
	outcome := core.ReadOutcome(err)
	for _, f := range failures {
		if f.outcome == outcome {
			return withDetail(f.grpc, err, &pb.Failure{Code: f.wire})
		}
	}
	return withDetail(codes.Unavailable, err, &pb.Failure{Code: pb.ErrorCode_ERROR_CODE_UNAVAILABLE})
}

func withDetail(code codes.Code, err error, detail any) error {
	s := status.New(code, clip(err.Error()))
	switch d := detail.(type) {
	case *pb.NotApplied:
		s, _ = s.WithDetails(d)
	case *pb.Failure:
		s, _ = s.WithDetails(d)
	}
	return s.Err()
}

// writeError turns the gRPC error of a write into a coded one. Whatever does
// not say that the write certainly failed leaves the outcome unknown.
func writeError(err error, hide func(string) string) error {
	s := status.Convert(err)
	for _, detail := range s.Details() {
		if d, ok := detail.(*pb.NotApplied); ok {
			if code := codeFromWire(d.GetCode()); code != nil {
				return coded(code, hide(s.Message()))
			}
		}
	}
	return fmt.Errorf("%w: %s", core.ErrUnknown, hide(s.Message()))
}

// readError turns the gRPC error of anything but a write into a coded one.
func readError(err error, hide func(string) string) error {
	s := status.Convert(err)
	for _, detail := range s.Details() {
		if d, ok := detail.(*pb.Failure); ok {
			if code := codeFromWire(d.GetCode()); code != nil {
				return coded(code, hide(s.Message()))
			}
		}
	}
	return fmt.Errorf("%w: %s", core.ErrUnavailable, hide(s.Message()))
}

func codeFromWire(wire pb.ErrorCode) error {
	for _, f := range failures {
		if f.wire == wire {
			return f.outcome.Code()
		}
	}
	return nil
}

func codeToWire(err error) pb.ErrorCode {
	outcome := core.ReadOutcome(err)
	for _, f := range failures {
		if f.outcome == outcome {
			return f.wire
		}
	}
	return pb.ErrorCode_ERROR_CODE_UNSPECIFIED
}

// clip makes an error's text fit for the wire: short enough for a gRPC trailer
// and valid UTF-8, or else the whole answer would be lost with it.
func clip(text string) string {
	const most = 2048
	if len(text) > most {
		text = text[:most] + cut
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// diagnose flattens the error of opening an arbiter into one diagnostic for
// every attribute at fault, in the order they were joined.
func diagnose(err error) []*pb.Diagnostic {
	if err == nil {
		return nil
	}
	var fault *core.AttributeError
	switch joined, many := err.(interface{ Unwrap() []error }); {
	case many:
		var all []*pb.Diagnostic
		for _, one := range joined.Unwrap() {
			all = append(all, diagnose(one)...)
		}
		return all
	case errors.As(err, &fault):
		d := &pb.Diagnostic{Attribute: fault.Attribute, Problem: fault.Problem, Advice: fault.Advice, Code: codeToWire(fault)}
		if fault.Err != nil {
			d.Cause = clip(fault.Err.Error())
		}
		return []*pb.Diagnostic{d}
	}
	return []*pb.Diagnostic{{Problem: clip(err.Error()), Code: configureCode(err)}}
}

// configureCode is the code of an error that names no attribute. Opening an
// arbiter must not need the store, so an error without a code is no outage.
func configureCode(err error) pb.ErrorCode {
	if core.WriteOutcome(err) == core.Unknown {
		return pb.ErrorCode_ERROR_CODE_INVALID
	}
	return codeToWire(err)
}

// diagnosed is diagnose undone: nil without diagnostics, else an error that
// joins a *core.AttributeError for each that names an attribute.
func diagnosed(diagnostics []*pb.Diagnostic, hide func(string) string) error {
	var problems []error
	for _, d := range diagnostics {
		code := codeFromWire(d.GetCode())
		if code == nil {
			code = core.ErrInvalid
		}
		if d.GetAttribute() == "" {
			problems = append(problems, coded(code, hide(d.GetProblem())))
			continue
		}
		fault := &core.AttributeError{Attribute: hide(d.GetAttribute()), Problem: hide(d.GetProblem()), Advice: hide(d.GetAdvice())}
		if d.GetCause() != "" || code != core.ErrInvalid {
			fault.Err = coded(code, hide(d.GetCause()))
		}
		problems = append(problems, fault)
	}
	return errors.Join(problems...)
}
