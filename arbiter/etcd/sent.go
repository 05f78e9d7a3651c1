package etcd

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// sentMarker notes, for calls whose context was marked, that the call's header
// was handed to a connection. While that has not happened the call certainly
// never left this process.
type sentMarker struct{}

type sentKey struct{}

// marked returns a context whose calls set the flag when they are sent.
func marked(ctx context.Context, sent *atomic.Bool) context.Context {
	return context.WithValue(ctx, sentKey{}, sent)
}

// HandleRPC sets the flag on the first thing that leaves.
func (sentMarker) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if _, leaves := event.(*stats.OutHeader); !leaves {
		return
	}
	if sent, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		sent.Store(true)
	}
}

// TagRPC leaves the context as it is.
func (sentMarker) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn leaves the context as it is.
func (sentMarker) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (sentMarker) HandleConn(context.Context, stats.ConnStats) {}
