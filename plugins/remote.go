package plugins

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// Arbiter returns the configured plugin as an arbiter, which outlives crashes
// and reloads of the plugin. It is a core.Watcher or a core.Prober if the
// plugin has these capabilities, and always a core.Reporter: see Host.Report.
// Closing it closes the Host.
func (h *Host) Arbiter() core.Arbiter {
	plain := remote{h}
	switch can := h.Capabilities(); {
	case can.Watch && can.Probe:
		return struct {
			remote
			watching
			probing
		}{plain, watching{h}, probing{h}}
	case can.Watch:
		return struct {
			remote
			watching
		}{plain, watching{h}}
	case can.Probe:
		return struct {
			remote
			probing
		}{plain, probing{h}}
	}
	return plain
}

// remote is the host's side of the Arbiter service.
type remote struct{ host *Host }

// Read returns the record stored under key.
func (r remote) Read(ctx context.Context, key string) (core.Snapshot, error) {
	i, err := r.host.use()
	if err != nil {
		return core.Snapshot{}, err
	}
	defer i.calls.Done()
	ctx, cancel := bounded(ctx, i.spec.Timeouts.Call)
	defer cancel()
	answer, err := i.arbiter.Read(ctx, &pb.ReadRequest{Key: key})
	if err != nil {
		return core.Snapshot{}, r.host.failedRead(i, err)
	}
	if answer.GetSnapshot() == nil { // absence is a snapshot without a version, not nothing
		return core.Snapshot{}, fmt.Errorf("%w: plugin %q answered a read with nothing", core.ErrUnavailable, i.spec.Name)
	}
	return snapshotFromWire(answer.GetSnapshot(), i.can), nil
}

// CompareAndSwap stores the record iff the stored version is the expected one.
func (r remote) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if ctx.Err() != nil {
		return "", fmt.Errorf("%w: not sent: %w", core.ErrUnavailable, context.Cause(ctx))
	}
	i, err := r.host.use()
	if err != nil {
		return "", err
	}
	defer i.calls.Done()
	ctx, cancel := bounded(ctx, i.spec.Timeouts.Call)
	defer cancel()
	answer, err := i.arbiter.CompareAndSwap(ctx, swapToWire(swap))
	if err != nil {
		r.host.lookAt(i, err)
		return "", writeError(err, i.secrets.hide)
	}
	switch outcome := answer.GetOutcome().(type) {
	case *pb.CompareAndSwapResponse_Applied:
		if version := outcome.Applied.GetVersion(); len(version) > 0 {
			return core.Version(version), nil
		}
		return "", fmt.Errorf("%w: plugin %q reported a write without its version", core.ErrUnknown, i.spec.Name)
	case *pb.CompareAndSwapResponse_Conflict:
		return "", coded(core.ErrConflict, i.secrets.hide(outcome.Conflict.GetMessage()))
	case *pb.CompareAndSwapResponse_Unknown:
		return "", coded(core.ErrUnknown, i.secrets.hide(outcome.Unknown.GetMessage()))
	}
	return "", fmt.Errorf("%w: plugin %q answered a write with nothing that is known here", core.ErrUnknown, i.spec.Name)
}

// Report returns what the plugin knows of itself.
func (r remote) Report(ctx context.Context) (core.ArbiterReport, error) {
	return r.host.Report(ctx)
}

// Close closes the host.
func (r remote) Close() error { return r.host.Close() }

// failedRead names the error of a call that wrote nothing.
func (h *Host) failedRead(i *instance, err error) error {
	h.lookAt(i, err)
	return readError(err, i.secrets.hide)
}

// lookAt has the instance checked if a call to it met its deadline.
func (h *Host) lookAt(i *instance, err error) {
	if status.Code(err) == codes.DeadlineExceeded {
		h.suspect(i)
	}
}

// probing is the core.Prober of a plugin that has one.
type probing struct{ host *Host }

// Probe examines the store.
func (p probing) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	return p.host.Probe(ctx, key)
}

// watching is the core.Watcher of a plugin that has one.
type watching struct{ host *Host }

// Watch sends a snapshot whenever something may have changed under key. The
// channel closes when ctx ends, or when the watch or the plugin is lost.
func (w watching) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	i, err := w.host.use()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	unbind := context.AfterFunc(i.serving, cancel) // which outlives this watch
	over := func() {
		unbind()
		cancel()
		i.calls.Done()
	}
	stream, err := openWatch(ctx, i, key)
	if err != nil {
		over()
		return nil, readError(err, i.secrets.hide)
	}
	changes := make(chan core.Snapshot)
	go func() {
		defer over()
		defer close(changes)
		for {
			answer, err := stream.Recv()
			if err != nil {
				return
			}
			select {
			case changes <- snapshotFromWire(answer.GetSnapshot(), i.can):
			case <-ctx.Done():
				return
			}
		}
	}()
	return changes, nil
}

// openWatch returns once the plugin says that the watch stands, by sending its
// header, or why it does not.
func openWatch(ctx context.Context, i *instance, key string) (grpc.ServerStreamingClient[pb.WatchResponse], error) {
	stream, err := i.arbiter.Watch(ctx, &pb.WatchRequest{Key: key})
	if err != nil {
		return nil, err
	}
	header, err := stream.Header()
	if header == nil && err == nil { // ended without one; the error comes with the next receive
		_, err = stream.Recv()
	}
	return stream, err
}
