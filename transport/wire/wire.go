// Package wire connects nodes over gRPC with mutual TLS 1.3.
//
// Every node dials every peer and keeps that one connection, with one stream
// on it, whatever the number of elections. A peer is who its certificate says.
// A connection on which nothing comes back is dropped after two intervals, or
// at Redial, and dialled anew each interval.
package wire

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
	"github.com/electd/electd/transport/internal/roster"
)

// Config is what New needs.
type Config struct {
	Node   string // this node's id
	Listen string // host:port; an empty host means all addresses
	Peers  []Peer // the other nodes

	TLS           TLS
	Insecure      bool // plain text and no proof of who a peer is: loopback only
	ForceInsecure bool // Insecure on any network

	Interval time.Duration // the shortest heartbeat interval of any election; 500 ms if zero
	Log      hclog.Logger  // nil: none
}

// Peer is another node and where it listens, host:port. The host is looked up
// anew each time it is dialled.
type Peer struct {
	Node    string
	Address string
}

// TLS names PEM files. They are read again when they change; connections that
// stand are kept.
type TLS struct {
	CAFile   string // the authorities that peers' certificates may be from
	CertFile string // this node's certificate, and after it any intermediate ones
	KeyFile  string
}

// Transport is a transport.Transport over the network.
type Transport struct {
	node     string
	interval time.Duration
	log      hclog.Logger
	quiet    *quiet
	identity *identity // nil: insecure
	peers    []*peer
	byNode   map[string]*peer
	roster   roster.Roster
	server   *server

	closed atomic.Bool
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// peer is all there is to one configured peer.
type peer struct {
	node, address string
	out           *link   // our own connection to it
	in            inbound // its connections to us
	counters      counters
	cut           *gate
}

// New starts listening and dialling. What is wrong with c is told as a
// *core.AttributeError whose Attribute is as in the configuration's transport
// block: "listen", "tls.ca_file", `peer "b".address`.
func New(c Config) (*Transport, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &Transport{
		node: c.Node, interval: c.Interval, log: c.Log,
		quiet:  newQuiet(c.Log),
		byNode: make(map[string]*peer),
	}
	if !c.Insecure {
		id, err := newIdentity(c.Node, c.TLS, c.Log)
		if err != nil {
			return nil, err
		}
		t.identity = id
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, listenError(c.Listen, err)
	}
	for _, configured := range c.Peers {
		p := &peer{node: configured.Node, address: configured.Address, cut: newGate()}
		p.out = newLink(t, p)
		t.peers = append(t.peers, p)
		t.byNode[p.node] = p
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	t.server = newServer(t, listener)
	t.work.Go(t.server.run)
	for _, p := range t.peers {
		t.work.Go(func() { p.out.run(ctx) })
	}
	return t, nil
}

// Addr is where the transport listens.
func (t *Transport) Addr() net.Addr { return t.server.listener.Addr() }

// Join implements transport.Transport. It panics if election is joined.
func (t *Transport) Join(election string, h transport.Handler) (stop func()) {
	return t.roster.Join(election, h)
}

// Send implements transport.Transport.
func (t *Transport) Send(peer string, m core.Message) {
	p := t.byNode[peer]
	if p == nil || t.closed.Load() {
		return
	}
	if err := sendable(m); err != nil {
		p.counters.dropped.Add(1)
		t.quiet.warn("unsendable "+peer, "message cannot be sent", "election", m.Election, "peer", peer, "why", err.Error())
		return
	}
	var box *outbox
	switch m.Kind {
	case core.Ack, core.Busy, core.Stale:
		box = p.in.towards(m.Holder)
	default:
		box = p.out.current.Load()
	}
	if box == nil {
		p.counters.dropped.Add(1)
		return
	}
	box.put(m)
}

// Redial implements transport.Transport. The connection is dropped if what was
// sent on it a quarter interval ago or earlier had no answer of any kind.
func (t *Transport) Redial(peer string) {
	if p := t.byNode[peer]; p != nil {
		p.out.doubt()
	}
}

// Peers implements transport.Transport.
func (t *Transport) Peers() []transport.Peer {
	all := make([]transport.Peer, 0, len(t.peers))
	for _, p := range t.peers {
		connected, err := p.out.state()
		all = append(all, transport.Peer{Node: p.node, Address: p.address, Connected: connected, Err: err})
	}
	return all
}

// Cut makes this process act as if no packet passed between it and peer, in
// either direction, until Cut(peer, false). It is for demonstrations and tests.
func (t *Transport) Cut(peer string, cut bool) {
	if p := t.byNode[peer]; p != nil {
		p.cut.set(cut)
	}
}

// Counters returns the figures of every configured peer since the start.
func (t *Transport) Counters() []Counters {
	all := make([]Counters, 0, len(t.peers))
	for _, p := range t.peers {
		all = append(all, p.counters.read(p.node))
	}
	return all
}

// CertificateExpires returns when this node's certificate ends; false if there
// is none because the transport is insecure.
func (t *Transport) CertificateExpires() (time.Time, bool) {
	if t.identity == nil {
		return time.Time{}, false
	}
	return t.identity.now().cert.Leaf.NotAfter, true
}

// Close implements transport.Transport.
func (t *Transport) Close() error {
	if !t.closed.Swap(true) {
		t.farewell()
		t.cancel()
		t.server.stop()
	}
	t.work.Wait()
	t.roster.Silence()
	return nil
}
