package plugins

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// OverPipe serves a plugin over a pipe within this process, for comparison.
func OverPipe(b *testing.B, d Definition) core.Arbiter {
	s, err := newServer(d)
	if err != nil {
		b.Fatal(err)
	}
	listener := bufconn.Listen(1 << 20)
	g := grpc.NewServer()
	s.register(g)
	go func() { _ = g.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:pipe",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return listener.Dial() }))
	if err != nil {
		b.Fatal(err)
	}
	i := &instance{lost: make(chan struct{}), conn: conn, arbiter: pb.NewArbiterClient(conn), plugin: pb.NewPluginClient(conn)}
	i.spec, _ = Spec{Self: []string{}}.complete()
	if err := i.configure(b.Context(), Values{}); err != nil {
		b.Fatal(err)
	}
	h := &Host{current: i, spec: i.spec}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	b.Cleanup(func() {
		h.cancel()
		_ = conn.Close()
		g.Stop()
	})
	return remote{h}
}
