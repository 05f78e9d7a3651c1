package plugins

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// server is the plugin's side of both services.
type server struct {
	pb.UnimplementedPluginServer
	pb.UnimplementedArbiterServer
	definition Definition
	schema     Schema

	mu         sync.Mutex
	configured bool
	arbiter    core.Arbiter
}

var errNotConfigured = errors.New("the plugin was not configured yet")

func newServer(d Definition) (*server, error) {
	schema, err := d.Schema()
	if err != nil {
		return nil, err
	}
	return &server{definition: d, schema: schema}, nil
}

func (s *server) register(g *grpc.Server) {
	pb.RegisterPluginServer(g, s)
	pb.RegisterArbiterServer(g, s)
}

// GetInfo says what the plugin is.
func (s *server) GetInfo(context.Context, *pb.GetInfoRequest) (*pb.GetInfoResponse, error) {
	i := s.definition.Info()
	return &pb.GetInfoResponse{Name: i.Name, Version: i.Version, Doc: i.Doc, Sdk: i.SDK}, nil
}

// GetSchema hands over the schema.
func (s *server) GetSchema(context.Context, *pb.GetSchemaRequest) (*pb.GetSchemaResponse, error) {
	return &pb.GetSchemaResponse{Schema: schemaToWire(s.schema)}, nil
}

// Configure opens the arbiter, once.
func (s *server) Configure(ctx context.Context, r *pb.ConfigureRequest) (*pb.ConfigureResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.configured {
		return nil, status.Error(codes.FailedPrecondition, "already configured; start a new process instead")
	}
	arbiter, can, err := s.definition.Open(ctx, valuesFromWire(r.GetAttributes()))
	if err != nil {
		return &pb.ConfigureResponse{Diagnostics: diagnose(err)}, nil
	}
	s.arbiter, s.configured = arbiter, true
	return &pb.ConfigureResponse{Capabilities: capabilitiesToWire(can)}, nil
}

// Probe examines the store.
func (s *server) Probe(ctx context.Context, r *pb.ProbeRequest) (*pb.ProbeResponse, error) {
	arbiter, err := s.open()
	if err != nil {
		return nil, failed(err)
	}
	prober, can := arbiter.(core.Prober)
	if !can {
		return nil, status.Error(codes.Unimplemented, "this arbiter cannot probe")
	}
	report, err := prober.Probe(ctx, r.GetKey())
	if err != nil {
		return nil, failed(err)
	}
	return probeToWire(report), nil
}

// Report tells what the arbiter knows of itself.
func (s *server) Report(ctx context.Context, _ *pb.ReportRequest) (*pb.ReportResponse, error) {
	arbiter, err := s.open()
	if err != nil {
		return nil, failed(err)
	}
	reporter, can := arbiter.(core.Reporter)
	if !can {
		return nil, status.Error(codes.Unimplemented, "this arbiter reports nothing")
	}
	report, err := reporter.Report(ctx)
	if err != nil {
		return nil, failed(err)
	}
	return reportToWire(report), nil
}

// Read returns what is stored under a key.
func (s *server) Read(ctx context.Context, r *pb.ReadRequest) (*pb.ReadResponse, error) {
	arbiter, err := s.open()
	if err != nil {
		return nil, failed(err)
	}
	snapshot, err := arbiter.Read(ctx, r.GetKey())
	if err != nil {
		return nil, failed(err)
	}
	return &pb.ReadResponse{Snapshot: snapshotToWire(snapshot)}, nil
}

// CompareAndSwap writes, and says exactly what is known of the write.
func (s *server) CompareAndSwap(ctx context.Context, r *pb.CompareAndSwapRequest) (*pb.CompareAndSwapResponse, error) {
	arbiter, err := s.open()
	if err != nil {
		return nil, notApplied(core.Unavailable, err)
	}
	version, err := arbiter.CompareAndSwap(ctx, swapFromWire(r))
	if err == nil && version == "" {
		err = errors.New("the arbiter reported success without a version")
	}
	switch outcome := core.WriteOutcome(err); outcome {
	case core.Applied:
		return &pb.CompareAndSwapResponse{Outcome: &pb.CompareAndSwapResponse_Applied{
			Applied: &pb.Applied{Version: []byte(version)}}}, nil
	case core.Conflict:
		return &pb.CompareAndSwapResponse{Outcome: &pb.CompareAndSwapResponse_Conflict{
			Conflict: &pb.Conflict{Message: clip(err.Error())}}}, nil
	case core.Unknown:
		return &pb.CompareAndSwapResponse{Outcome: &pb.CompareAndSwapResponse_Unknown{
			Unknown: &pb.Unknown{Message: clip(err.Error())}}}, nil
	default:
		return nil, notApplied(outcome, err)
	}
}

// Watch passes on what the arbiter's watch sends, until either side ends it.
func (s *server) Watch(r *pb.WatchRequest, stream grpc.ServerStreamingServer[pb.WatchResponse]) error {
	arbiter, err := s.open()
	if err != nil {
		return failed(err)
	}
	watcher, can := arbiter.(core.Watcher)
	if !can {
		return status.Error(codes.Unimplemented, "this arbiter cannot watch")
	}
	changes, err := watcher.Watch(stream.Context(), r.GetKey())
	if err != nil {
		return failed(err)
	}
	// The header tells the host that the watch stands, before anything changes.
	if err := stream.SendHeader(nil); err != nil {
		return err
	}
	for snapshot := range changes {
		if err := stream.Send(&pb.WatchResponse{Snapshot: snapshotToWire(snapshot)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) open() (core.Arbiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.arbiter == nil {
		return nil, errNotConfigured
	}
	return s.arbiter, nil
}

// close frees the arbiter, after the last call or while the last ones fail.
func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.arbiter == nil {
		return nil
	}
	err := s.arbiter.Close()
	s.arbiter = nil
	return err
}

func capabilitiesToWire(c Capabilities) *pb.Capabilities {
	wire := &pb.Capabilities{Watch: c.Watch, Probe: c.Probe, Report: c.Report, Age: c.Age, MaxRecordBytes: int64(c.MaxRecordBytes)}
	if c.MinWriteInterval > 0 {
		wire.MinWriteInterval = durationpb.New(c.MinWriteInterval)
	}
	return wire
}

func capabilitiesFromWire(wire *pb.Capabilities) Capabilities {
	return Capabilities{
		Watch:            wire.GetWatch(),
		Probe:            wire.GetProbe(),
		Report:           wire.GetReport(),
		Age:              wire.GetAge(),
		MaxRecordBytes:   int(wire.GetMaxRecordBytes()),
		MinWriteInterval: wire.GetMinWriteInterval().AsDuration(),
	}
}
