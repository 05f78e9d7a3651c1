package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "github.com/electd/electd/transport/wire/wirepb"
)

// protocol is the version of what is spoken on a stream.
const protocol = 1

// window is how much one side may send before the other has taken it. Being
// set, it also keeps gRPC from probing for a better one.
const window = 1 << 20

// conversation is one stream that we opened, alone on its connection.
type conversation struct {
	conn   *grpc.ClientConn
	stream grpc.BidiStreamingClient[pb.Frame, pb.Frame]
	cancel context.CancelFunc
}

func (c *conversation) close() {
	c.cancel()
	c.conn.Close()
}

// dial makes one attempt at a conversation with the peer. gRPC's own redialling
// is not used: its pace is not ours.
func (l *link) dial(ctx context.Context) (*conversation, error) {
	ctx, cancel := context.WithCancel(ctx)
	limit := openTimeout(l.t.interval)
	timeout := time.AfterFunc(limit, cancel)
	a := &attempt{timeout: dialTimeout(l.t.interval)}
	c, err := l.open(ctx, cancel, a)
	expired := !timeout.Stop()
	if err == nil && !expired {
		return c, nil
	}
	cancel()
	if c != nil {
		c.close()
	}
	if cause := a.cause(); cause != nil {
		return nil, cause
	}
	if expired {
		return nil, fmt.Errorf("the peer's address can be connected to, but nothing there answered within %v", limit)
	}
	if status.Code(err) == codes.Unavailable {
		return nil, hungUp(l.t.identity == nil, err)
	}
	return nil, plain(err)
}

// hungUp explains a connection that ended before the peer said anything. With
// TLS 1.3 a refusal of our certificate comes after our part of the handshake,
// and its reason is easily lost.
func hungUp(plainText bool, err error) error {
	if plainText {
		return fmt.Errorf("the peer hung up on plain text: is tls configured there? (%w)", plain(err))
	}
	return fmt.Errorf("the peer hung up after the handshake: if it refused our certificate, its log says why (%w)", plain(err))
}

func (l *link) open(ctx context.Context, cancel context.CancelFunc, a *attempt) (*conversation, error) {
	conn, err := grpc.NewClient("passthrough:///"+l.p.address,
		grpc.WithTransportCredentials(a.observe(l.t.clientCredentials(l.p.node))),
		grpc.WithContextDialer(a.dial),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: time.Hour, MaxDelay: time.Hour},
			MinConnectTimeout: openTimeout(l.t.interval),
		}),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
		grpc.WithStaticStreamWindowSize(window),
		grpc.WithStaticConnWindowSize(window),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxFrame), grpc.MaxCallSendMsgSize(maxFrame)),
	)
	if err != nil {
		return nil, err
	}
	c := &conversation{conn: conn, cancel: cancel}
	c.stream, err = pb.NewPeerClient(conn).Converse(ctx)
	if err != nil {
		return c, err
	}
	err = c.stream.Send(&pb.Frame{Opening: &pb.Opening{Protocol: protocol, Node: l.t.node}})
	if err != nil && !errors.Is(err, io.EOF) { // at EOF, Recv says why
		return c, err
	}
	frame, err := c.stream.Recv()
	if err != nil {
		return c, err
	}
	if there := frame.GetOpening().GetNode(); there != l.p.node {
		return c, fmt.Errorf("%s is node %q, not %q: correct the peer's address", l.p.address, there, l.p.node)
	}
	return c, nil
}

// sender sends frames in a conversation. What ended a stream is told by Recv,
// not by Send.
func (l *link) sender(ctx context.Context, c *conversation) transmit {
	return func(frame *pb.Frame) (bool, error) {
		l.pulse.sending()
		if frame.GetPing() {
			l.pulse.pings.Add(1)
		}
		if l.p.cut.shut() {
			return false, nil
		}
		err := c.stream.Send(frame)
		if errors.Is(err, io.EOF) {
			<-ctx.Done()
			return false, ctx.Err()
		}
		return true, err
	}
}

func (t *Transport) clientCredentials(node string) credentials.TransportCredentials {
	if t.identity == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(t.identity.client(node))
}

// attempt observes how one attempt to connect fails, as gRPC's errors bury it.
type attempt struct {
	timeout time.Duration

	mu  sync.Mutex
	err error
}

func (a *attempt) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil && !errors.Is(err, context.Canceled) {
		a.err = err
	}
}

func (a *attempt) cause() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *attempt) dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: a.timeout}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		a.fail(err)
	}
	return conn, err
}

func (a *attempt) observe(c credentials.TransportCredentials) credentials.TransportCredentials {
	return observed{TransportCredentials: c, client: a.fail}
}

// observed are credentials that report failed handshakes.
type observed struct {
	credentials.TransportCredentials
	client func(error)
	server func(net.Addr, error)
}

func (o observed) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c, info, err := o.TransportCredentials.ClientHandshake(ctx, authority, conn)
	switch header := (tls.RecordHeaderError{}); {
	case errors.As(err, &header):
		err = fmt.Errorf("%s does not speak TLS: is electd there, and without insecure = true? (%w)", conn.RemoteAddr(), err)
	case cutOff(err):
		err = fmt.Errorf("%s ended the connection in the TLS handshake: is electd there, and without insecure = true? (%w)", conn.RemoteAddr(), err)
	}
	if err != nil && ctx.Err() == nil {
		o.client(err)
	}
	return c, info, err
}

func (o observed) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c, info, err := o.TransportCredentials.ServerHandshake(conn)
	if err != nil {
		o.server(conn.RemoteAddr(), err)
	}
	return c, info, err
}

func (o observed) Clone() credentials.TransportCredentials {
	o.TransportCredentials = o.TransportCredentials.Clone()
	return o
}

// cutOff says whether it was the other side that ended a connection. Whether it had
// read all that was sent decides how that looks from here.
func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// plain returns the error without gRPC's wrapping.
func plain(err error) error {
	s, ok := status.FromError(err)
	switch {
	case !ok:
		return err
	case s.Code() == codes.PermissionDenied || s.Code() == codes.FailedPrecondition:
		return fmt.Errorf("the peer refused: %s", s.Message())
	}
	return errors.New(s.Message())
}
