package main

import (
	"context"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// gate stands between one client and the voters and loses or holds back the
// accepts of its next write.
type gate struct {
	addresses map[string]string

	mu     sync.Mutex
	fate   func(forward func()) // of the accepts of one ballot; nil: forward
	ballot string
	silent bool
	going  sync.WaitGroup
}

func newGate(t *testing.T, voters map[string]string) (*gate, error) {
	g := &gate{addresses: map[string]string{}}
	for voter, address := range voters {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		g.addresses[voter] = l.Addr().String()
		s := grpc.NewServer()
		bullyv1.RegisterVotesServer(s, &door{gate: g, voter: bullyv1.NewVotesClient(conn)})
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() {
			s.Stop()
			_ = conn.Close()
		})
	}
	return g, nil
}

func (g *gate) faults() arbitertest.Faults {
	return arbitertest.Faults{
		LoseRequest: func() { g.set(func(func()) {}) },
		LoseAnswer:  func() { g.set(func(forward func()) { forward() }) },
		HoldWrite: func() (release func()) {
			held := make(chan struct{})
			g.set(func(forward func()) {
				<-held
				forward()
			})
			return func() {
				close(held)
				g.going.Wait()
			}
		},
		Silence: func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.silent = true
		},
	}
}

func (g *gate) set(fate func(forward func())) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fate, g.ballot = fate, ""
}

// door is the gate's way to one voter.
type door struct {
	bullyv1.UnimplementedVotesServer
	gate  *gate
	voter bullyv1.VotesClient
}

func (d *door) Vote(ctx context.Context, m *bullyv1.VoteRequest) (*bullyv1.VoteAnswer, error) {
	g := d.gate
	g.mu.Lock()
	fate, silent := g.fate, g.silent
	switch ballot := m.GetBallot().String(); {
	case register.RequestKind(m.GetKind()) != register.Accept:
		fate = nil
	case fate != nil && g.ballot == "":
		g.ballot = ballot
	case g.ballot != ballot:
		fate = nil
	}
	if fate != nil {
		g.going.Add(1)
	}
	g.mu.Unlock()
	if fate != nil {
		fate(func() { _, _ = d.voter.Vote(context.WithoutCancel(ctx), m) })
		g.going.Done()
	}
	if fate != nil || silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return d.voter.Vote(ctx, m)
}

func (d *door) Status(ctx context.Context, m *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error) {
	return d.voter.Status(ctx, m)
}

func (d *door) Learn(ctx context.Context, m *bullyv1.LearnRequest) (*bullyv1.LearnAnswer, error) {
	return d.voter.Learn(ctx, m)
}

func (d *door) Stands(ctx context.Context, m *bullyv1.StandsRequest) (*bullyv1.StandsAnswer, error) {
	return d.voter.Stands(ctx, m)
}
