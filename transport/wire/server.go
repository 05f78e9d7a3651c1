package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	pb "github.com/electd/electd/transport/wire/wirepb"
)

// greetTimeout bounds each part of being dialled: the handshake, the opening.
const greetTimeout = 5 * time.Second

// server takes the connections of peers.
type server struct {
	pb.UnimplementedPeerServer
	t        *Transport
	listener net.Listener
	grpc     *grpc.Server
	readers  sync.WaitGroup
}

func newServer(t *Transport, listener net.Listener) *server {
	s := &server{t: t, listener: listener}
	s.grpc = grpc.NewServer(
		grpc.Creds(observed{TransportCredentials: s.credentials(), server: s.refused}),
		grpc.ConnectionTimeout(greetTimeout),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxRecvMsgSize(maxFrame),
		grpc.MaxSendMsgSize(maxFrame),
		grpc.MaxHeaderListSize(16<<10),
		grpc.StaticStreamWindowSize(window),
		grpc.StaticConnWindowSize(window),
		// Frees what a peer left behind that went without a word. A peer that is
		// there pings more often than this.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: greetTimeout}),
		grpc.WaitForHandlers(true),
	)
	pb.RegisterPeerServer(s.grpc, s)
	return s
}

func (s *server) credentials() credentials.TransportCredentials {
	if s.t.identity == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(s.t.identity.server())
}

func (s *server) refused(from net.Addr, err error) {
	host, _, splitErr := net.SplitHostPort(from.String())
	if splitErr != nil || cutOff(err) { // a port that was only knocked at is no news
		return
	}
	s.t.quiet.warn("handshake "+host, "connection refused", "from", host, "why", err.Error())
}

func (s *server) run() {
	if err := s.grpc.Serve(s.listener); err != nil && !s.t.closed.Load() {
		s.t.log.Error("no longer listening", "address", s.listener.Addr().String(), "why", err.Error())
	}
}

func (s *server) stop() {
	s.grpc.Stop()
	s.readers.Wait()
}

// Converse serves one stream of a peer: what comes is read beside, what is to
// go back is sent here. Returning is what ends the stream.
func (s *server) Converse(stream grpc.BidiStreamingServer[pb.Frame, pb.Frame]) error {
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	openings := make(chan *pb.Opening, 1)
	ready := make(chan *served, 1)
	var p *peer
	s.readers.Go(func() {
		frame, err := stream.Recv()
		if err != nil {
			cancel(err)
			return
		}
		openings <- frame.GetOpening()
		select {
		case c := <-ready:
			cancel(s.read(stream, p, c))
		case <-ctx.Done():
		}
	})
	opening, err := awaitOpening(ctx, openings)
	if err != nil {
		return err
	}
	if p, err = s.admit(stream.Context(), opening); err != nil {
		return err
	}
	if err := stream.Send(&pb.Frame{Opening: &pb.Opening{Protocol: protocol, Node: s.t.node}}); err != nil {
		return err
	}
	c := &served{box: newOutbox(p), cancel: func() { cancel(errors.New("replaced by newer connections")) }}
	p.in.add(c)
	defer p.in.remove(c)
	ready <- c
	send := func(frame *pb.Frame) (bool, error) {
		if p.cut.shut() {
			return false, nil
		}
		return true, stream.Send(frame)
	}
	if err := c.box.run(ctx, send); ctx.Err() == nil {
		return err
	}
	return status.Error(codes.Aborted, context.Cause(ctx).Error())
}

func awaitOpening(ctx context.Context, openings <-chan *pb.Opening) (*pb.Opening, error) {
	timeout := time.NewTimer(greetTimeout)
	defer timeout.Stop()
	select {
	case opening := <-openings:
		return opening, nil
	case <-timeout.C:
		return nil, status.Error(codes.DeadlineExceeded, "no opening frame")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// admit returns the peer that opened a stream, if it is one of ours and is who
// it says.
func (s *server) admit(ctx context.Context, opening *pb.Opening) (*peer, error) {
	from, node := "", opening.GetNode()
	proven := []string{node}
	if caller, ok := grpcpeer.FromContext(ctx); ok {
		from = caller.Addr.String()
		if info, ok := caller.AuthInfo.(credentials.TLSInfo); ok {
			proven = names(info.State.PeerCertificates[0])
		}
	}
	refuse := func(code codes.Code, format string, args ...any) (*peer, error) {
		why := fmt.Sprintf(format, args...)
		host, _, _ := net.SplitHostPort(from)
		s.t.quiet.warn("refused "+host+" "+node, "peer refused", "from", host, "why", why)
		return nil, status.Error(code, why)
	}
	p := s.t.byNode[node]
	switch {
	case opening.GetProtocol() != protocol:
		return refuse(codes.FailedPrecondition, "node %q speaks protocol %d, node %q speaks %d: run the same version of electd on both", node, opening.GetProtocol(), s.t.node, protocol)
	case !slices.Contains(proven, node):
		return refuse(codes.PermissionDenied, "it calls itself node %q, its certificate is for %q", node, proven)
	case node == s.t.node:
		return refuse(codes.PermissionDenied, "it has this node's own id %q: give each node an id of its own, and check the peers' addresses", node)
	case p == nil:
		return refuse(codes.PermissionDenied, "node %q is no peer in the configuration of node %q: add a peer block for it there", node, s.t.node)
	case p.cut.shut():
		return nil, status.Error(codes.Aborted, errCut.Error())
	}
	return p, nil
}

func (s *server) read(stream grpc.BidiStreamingServer[pb.Frame, pb.Frame], p *peer, c *served) error {
	for {
		frame, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("the peer ended the connection")
		case err != nil:
			return err
		case p.cut.shut():
			continue
		}
		session := ""
		if messages := frame.GetMessages(); len(messages) > 0 {
			session = messages[len(messages)-1].GetSession()
		}
		p.in.heard(c, session)
		s.t.receive(p, frame)
		if frame.GetPing() {
			c.box.putPong()
		}
	}
}
