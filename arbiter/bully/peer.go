package bully

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// electors is how an Arbiter reaches voter i, itself included.
type electors interface {
	vote(ctx context.Context, i int, r register.Request) (register.Answer, error)
	status(ctx context.Context, i int, ask *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error)
	admit(ctx context.Context, i int, r register.AdmitRequest) (register.AdmitAnswer, error)
	install(ctx context.Context, i int, r register.InstallRequest) (register.AdmitAnswer, error)
	learn(ctx context.Context, i int, news *bullyv1.LearnRequest) error
	stands(ctx context.Context, i int, ask *bullyv1.StandsRequest) (*bullyv1.StandsAnswer, error)
}

// maxMessage bounds a message: a transfer carries every record.
const maxMessage = 64 << 20

// peer is the connection to one other voter.
type peer struct {
	node        string
	address     func() string // empty: not known yet
	credentials credentials.TransportCredentials
	patience    time.Duration

	mu    sync.Mutex
	conn  *grpc.ClientConn
	heard time.Time
	done  bool
}

// call makes one request. When nothing came back on the connection for too long
// it is dropped and dialled anew: a network that swallowed packets leaves TCP
// waiting far longer than an election can.
func (p *peer) call(ctx context.Context, f func(bullyv1.VotesClient) error) error {
	conn, err := p.connection()
	if err != nil {
		return err
	}
	err = f(bullyv1.NewVotesClient(conn))
	p.mu.Lock()
	defer p.mu.Unlock()
	if !silent(err) {
		p.heard = time.Now()
	} else if p.conn == conn && conn.GetState() == connectivity.Ready && time.Since(p.heard) > redialAfter*p.patience {
		p.conn = nil
		_ = conn.Close()
	}
	return err
}

// redialAfter is how many times its patience a peer lets an established
// connection be silent. One that is only being established is left to it.
const redialAfter = 3

func silent(err error) bool {
	code := status.Code(err)
	return code == codes.DeadlineExceeded || code == codes.Canceled
}

func (p *peer) connection() (*grpc.ClientConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return nil, errors.New("closed")
	}
	if p.conn != nil {
		return p.conn, nil
	}
	conn, err := grpc.NewClient("passthrough:///"+p.node,
		grpc.WithTransportCredentials(p.credentials),
		grpc.WithContextDialer(p.dial),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(), // whether a write may have happened is not for a library to hide
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
			MinConnectTimeout: max(2*p.patience, 2*time.Second),
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: p.patience}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	)
	p.conn, p.heard = conn, time.Now()
	return conn, err
}

// dial resolves the address anew each time.
func (p *peer) dial(ctx context.Context, _ string) (net.Conn, error) {
	address := p.address()
	if address == "" {
		return nil, fmt.Errorf("no address of %s is known: it is not in addresses, and gossip has not found it", p.node)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", address)
}

// hurry dials at once instead of after the present backoff.
func (p *peer) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.ResetConnectBackoff()
	}
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.conn != nil {
		_ = p.conn.Close()
		p.conn = nil
	}
}

// network reaches the voters over their peers' connections, and the own one
// directly.
type network struct {
	self  *voter // nil on a joiner
	me    int    // -1 on a joiner
	peers []*peer
}

func (n *network) vote(ctx context.Context, i int, r register.Request) (a register.Answer, err error) {
	if i == n.me {
		return n.self.vote(r), nil
	}
	err = n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		m, err := c.Vote(ctx, wire.FromRequest(r))
		a = wire.Answer(m, i, r.Round)
		return n.peers[i].signed(m, err)
	})
	return a, err
}

func (n *network) status(ctx context.Context, i int, ask *bullyv1.StatusRequest) (a *bullyv1.StatusAnswer, err error) {
	err = n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		var err error
		a, err = c.Status(ctx, ask)
		return n.peers[i].signed(a, err)
	})
	return a, err
}

func (n *network) admit(ctx context.Context, i int, r register.AdmitRequest) (a register.AdmitAnswer, err error) {
	err = n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		m, err := c.Admit(ctx, wire.FromAdmit(r, n.self.electorate.Voter(r.Voter)))
		a = wire.AdmitAnswer(m, i)
		return n.peers[i].signed(m, err)
	})
	return a, err
}

func (n *network) install(ctx context.Context, i int, r register.InstallRequest) (a register.AdmitAnswer, err error) {
	err = n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		m, err := c.Install(ctx, wire.FromInstall(r, n.self.electorate.Voter(r.Voter)))
		a = wire.AdmitAnswer(m, i)
		return n.peers[i].signed(m, err)
	})
	return a, err
}

// signed returns err, or an error if an answer came from somebody else: two
// entries of addresses that lead to one voter must not give it two votes.
func (p *peer) signed(answer interface{ GetNode() string }, err error) error {
	if err == nil && answer.GetNode() != p.node {
		return fmt.Errorf("%q answers at %s, the address of %s", answer.GetNode(), p.address(), p.node)
	}
	return err
}

func (n *network) learn(ctx context.Context, i int, news *bullyv1.LearnRequest) error {
	return n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		_, err := c.Learn(ctx, news)
		return err
	})
}

func (n *network) stands(ctx context.Context, i int, ask *bullyv1.StandsRequest) (a *bullyv1.StandsAnswer, err error) {
	err = n.peers[i].call(ctx, func(c bullyv1.VotesClient) error {
		var err error
		a, err = c.Stands(ctx, ask)
		return err
	})
	return a, err
}

func (n *network) close() {
	for _, p := range n.peers {
		if p != nil {
			p.close()
		}
	}
}
