package etcd

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
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

// lastWords is what gRPC said last of a call that failed. The client drops it where
// a deadline has passed, and with it why there was no connection.
type lastWords struct{ text atomic.Pointer[string] }

type wordsKey struct{}

// listening returns a context whose calls leave their last words.
func listening(ctx context.Context) (context.Context, *lastWords) {
	words := &lastWords{}
	return context.WithValue(ctx, wordsKey{}, words), words
}

// overhear is the interceptor that notes them.
func overhear(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := call(ctx, method, in, out, conn, options...)
	if words, ok := ctx.Value(wordsKey{}).(*lastWords); ok && status.Code(err) == codes.DeadlineExceeded {
		text := status.Convert(err).Message()
		words.text.Store(&text)
	}
	return err
}
