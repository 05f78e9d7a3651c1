package bully

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// server takes part in votes on behalf of the voter.
type server struct {
	bullyv1.UnimplementedVotesServer
	arbiter *Arbiter
	voter   *voter
}

// serve answers on the listener until the returned function is called.
func (a *Arbiter) serve(l net.Listener) (stop func()) {
	s := grpc.NewServer(
		grpc.Creds(a.proof.server()),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
	)
	bullyv1.RegisterVotesServer(s, &server{arbiter: a, voter: a.voter})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			a.log.Error("this voter no longer hears the others", "listen", l.Addr().String(), "error", err)
		}
	}()
	return func() {
		s.Stop()
		<-done
	}
}

func (s *server) Vote(_ context.Context, m *bullyv1.VoteRequest) (*bullyv1.VoteAnswer, error) {
	return wire.FromAnswer(s.voter.vote(wire.Request(m)), s.arbiter.config.Node), nil
}

func (s *server) Status(ctx context.Context, m *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error) {
	if m.GetNode() == "" { // it claims to be nobody, and nothing is concluded
		return s.status(), nil
	}
	if err := s.proven(ctx, m.GetNode()); err != nil {
		return nil, err
	}
	s.arbiter.heardFrom(m.GetNode(), m.GetElectorate(), wire.Incarnation(m.GetAs()))
	return s.status(), nil
}

func (s *server) status() *bullyv1.StatusAnswer {
	answer := wire.FromStatus(s.voter.status(), s.arbiter.config.Node, s.arbiter.config.Suitability, time.Now())
	answer.Failing = s.voter.failure()
	return answer
}

func (s *server) Admit(ctx context.Context, m *bullyv1.AdmitRequest) (*bullyv1.AdmitAnswer, error) {
	candidate, err := s.candidate(ctx, m)
	if err != nil {
		return nil, err
	}
	answer := s.voter.admit(wire.Admit(m, candidate))
	said := admitText(answer.Refusal)
	if s.arbiter.problems.toLog(fmt.Sprint("admit ", m.GetNode(), m.GetAs().GetNonce(), said), time.Now()) {
		s.arbiter.log.Info("voter with an empty data directory asks to be admitted", "voter", m.GetNode(),
			"generation", m.GetAs().GetGeneration(), "answer", said)
	}
	return wire.FromAdmitAnswer(answer, s.arbiter.config.Node), nil
}

func (s *server) Install(ctx context.Context, m *bullyv1.InstallRequest) (*bullyv1.AdmitAnswer, error) {
	candidate, err := s.candidate(ctx, m.GetCandidate())
	if err != nil {
		return nil, err
	}
	return wire.FromAdmitAnswer(s.voter.install(wire.Install(m, candidate)), s.arbiter.config.Node), nil
}

func (s *server) Learn(_ context.Context, m *bullyv1.LearnRequest) (*bullyv1.LearnAnswer, error) {
	if m.GetElectorate() == s.voter.electorate.Hash() {
		s.arbiter.hear(news{key: m.GetKey(), ballot: wire.Ballot(m.GetBallot()), version: m.GetVersion()})
	}
	return &bullyv1.LearnAnswer{}, nil
}

func (s *server) Stands(_ context.Context, m *bullyv1.StandsRequest) (*bullyv1.StandsAnswer, error) {
	newest, _ := s.arbiter.news.newest(m.GetKey())
	stands, passes := s.arbiter.turns.answer(m.GetKey(), newest, time.Now())
	return &bullyv1.StandsAnswer{Stands: stands, Passes: passes}, nil
}

// candidate returns the place of the voter that asks to be admitted. Its
// certificate must be in its name.
func (s *server) candidate(ctx context.Context, m *bullyv1.AdmitRequest) (int, error) {
	i, isVoter := s.voter.electorate.Index(m.GetNode())
	if !isVoter || i == s.voter.status().Voter {
		return 0, status.Errorf(codes.PermissionDenied, "%q is no other voter", m.GetNode())
	}
	return i, s.proven(ctx, m.GetNode())
}

// proven checks that the caller's certificate is in node's name. Without TLS
// everybody is on loopback.
func (s *server) proven(ctx context.Context, node string) error {
	p, _ := grpcpeer.FromContext(ctx)
	if p == nil || s.arbiter.config.TLS == nil {
		return nil
	}
	info, isTLS := p.AuthInfo.(credentials.TLSInfo)
	if !isTLS || len(info.State.PeerCertificates) == 0 || !slices.Contains(info.State.PeerCertificates[0].DNSNames, node) {
		return status.Errorf(codes.PermissionDenied, "the certificate is not in the name of %q", node)
	}
	return nil
}

func admitText(r register.Refusal) string {
	if r == 0 {
		return "yes"
	}
	return fmt.Sprintf("no: this voter %v", r)
}
