package etcdtest

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	"github.com/electd/electd/arbiter/arbitertest"
)

// Proxy forwards every call to an etcd as it is, except what a test breaks.
type Proxy struct {
	Address string // host:port of the proxy

	target *grpc.ClientConn
	ctx    context.Context // ends with the test

	mu     sync.Mutex
	next   func(forward func(context.Context) error) error // of the next write; nil: forward
	silent bool
}

// NewProxy starts a proxy in front of the etcd at address. It ends with the test.
func NewProxy(t testing.TB, address string) *Proxy {
	t.Helper()
	target, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{Address: listener.Addr().String(), target: target, ctx: ctx}
	server := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(p.handle))
	ended := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		server.Stop()
		<-ended
		_ = target.Close()
	})
	return p
}

// Faults are the handles for the conformance kit.
func (p *Proxy) Faults() arbitertest.Faults {
	return arbitertest.Faults{
		LoseRequest: func() { p.fate(func(func(context.Context) error) error { return nil }) },
		LoseAnswer:  func() { p.fate(func(forward func(context.Context) error) error { return forward(p.ctx) }) },
		HoldWrite:   p.hold,
		Silence: func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.silent = true
		},
	}
}

// fate decides what becomes of the next write; its client hears nothing of it.
func (p *Proxy) fate(f func(forward func(context.Context) error) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = f
}

func (p *Proxy) hold() (release func()) {
	released, done := make(chan struct{}), make(chan struct{})
	p.fate(func(forward func(context.Context) error) error {
		defer close(done)
		select {
		case <-released:
			return forward(p.ctx)
		case <-p.ctx.Done():
			return nil
		}
	})
	return func() {
		close(released)
		<-done
	}
}

const write = "/etcdserverpb.KV/Txn"

func (p *Proxy) handle(_ any, client grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(client)
	p.mu.Lock()
	silent, fate := p.silent, p.next
	if method == write {
		p.next = nil
	}
	p.mu.Unlock()
	switch {
	case silent:
		<-client.Context().Done()
		return client.Context().Err()
	case method == write && fate != nil:
		return p.doom(client, fate)
	}
	return p.forward(client, method)
}

// doom carries out a write's fate and lets its client hear nothing.
func (p *Proxy) doom(client grpc.ServerStream, fate func(func(context.Context) error) error) error {
	var request mem.BufferSlice
	if err := client.RecvMsg(&request); err != nil {
		return err
	}
	incoming, _ := metadata.FromIncomingContext(client.Context())
	_ = fate(func(ctx context.Context) error {
		var answer mem.BufferSlice
		return p.target.Invoke(metadata.NewOutgoingContext(ctx, incoming.Copy()), write, &request, &answer)
	})
	<-client.Context().Done()
	return client.Context().Err()
}

// forward passes a call on in both directions until both have ended.
func (p *Proxy) forward(client grpc.ServerStream, method string) error {
	incoming, _ := metadata.FromIncomingContext(client.Context())
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(client.Context(), incoming.Copy()))
	defer cancel()
	store, err := p.target.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	go func() {
		for {
			var request mem.BufferSlice
			if err := client.RecvMsg(&request); err != nil {
				if err == io.EOF {
					_ = store.CloseSend()
				}
				return
			}
			if store.SendMsg(&request) != nil {
				return
			}
		}
	}()
	for {
		var answer mem.BufferSlice
		if err := store.RecvMsg(&answer); err != nil {
			client.SetTrailer(store.Trailer())
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := client.SendMsg(&answer); err != nil {
			return err
		}
	}
}

// raw passes messages on as the bytes they are.
type raw struct{}

var _ encoding.CodecV2 = raw{}

func (raw) Name() string { return "raw" }

func (raw) Marshal(message any) (mem.BufferSlice, error) {
	data := *message.(*mem.BufferSlice)
	return mem.BufferSlice{mem.SliceBuffer(data.Materialize())}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, message any) error {
	*message.(*mem.BufferSlice) = mem.BufferSlice{mem.SliceBuffer(data.Materialize())}
	return nil
}
