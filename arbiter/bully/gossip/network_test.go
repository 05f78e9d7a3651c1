package gossip

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/memberlist"
)

// network is an in-memory network for memberlist: packets arrive after a
// latency, streams are pipes, and cut decides who hears whom.
type network struct {
	mu      sync.Mutex
	nodes   map[string]*transport // by address
	latency time.Duration
	cut     func(from, to string) bool // by name
	noUDP   bool
	bytes   atomic.Int64 // sent by all, packets and streams
}

func newNetwork() *network {
	return &network{nodes: map[string]*transport{}, latency: 500 * time.Microsecond}
}

type transport struct {
	net     *network
	name    string
	address *net.UDPAddr
	packets chan *memberlist.Packet
	streams chan net.Conn

	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

func (n *network) transport(name string) *transport {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := len(n.nodes) + 1
	t := &transport{
		net: n, name: name, address: &net.UDPAddr{IP: net.IPv4(10, 0, byte(i>>8), byte(i)), Port: 7946},
		packets: make(chan *memberlist.Packet, 4096), streams: make(chan net.Conn), done: make(chan struct{}),
	}
	n.nodes[t.address.String()] = t
	return t
}

func (n *network) split(cut func(from, to string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
}

func (n *network) reach(from *transport, address string, udp bool) *transport {
	n.mu.Lock()
	defer n.mu.Unlock()
	to := n.nodes[address]
	if to == nil || n.cut != nil && n.cut(from.name, to.name) || udp && n.noUDP {
		return nil
	}
	return to
}

func (t *transport) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return t.address.IP, t.address.Port, nil
}

func (t *transport) WriteTo(b []byte, address string) (time.Time, error) {
	t.net.bytes.Add(int64(len(b)) + 28) // IP and UDP headers
	to := t.net.reach(t, address, true)
	now := time.Now()
	if to == nil {
		return now, nil
	}
	packet := &memberlist.Packet{Buf: append([]byte(nil), b...), From: t.address}
	time.AfterFunc(t.net.latency, func() {
		packet.Timestamp = time.Now()
		to.mu.Lock()
		defer to.mu.Unlock()
		if to.closed {
			return
		}
		select {
		case to.packets <- packet:
		default:
		}
	})
	return now, nil
}

func (t *transport) WriteToAddress(b []byte, a memberlist.Address) (time.Time, error) {
	return t.WriteTo(b, a.Addr)
}

func (t *transport) DialAddressTimeout(a memberlist.Address, timeout time.Duration) (net.Conn, error) {
	return t.DialTimeout(a.Addr, timeout)
}

func (t *transport) PacketCh() <-chan *memberlist.Packet { return t.packets }
func (t *transport) StreamCh() <-chan net.Conn           { return t.streams }

func (t *transport) DialTimeout(address string, timeout time.Duration) (net.Conn, error) {
	to := t.net.reach(t, address, false)
	if to == nil {
		time.Sleep(timeout)
		return nil, fmt.Errorf("dial %s: timeout", address)
	}
	ours, theirs := net.Pipe()
	select {
	case to.streams <- addressed{theirs, t.address}:
		return counted{addressed{ours, to.address}, &t.net.bytes}, nil
	case <-to.done:
		return nil, errors.New("connection refused")
	}
}

func (t *transport) Shutdown() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.done)
	}
	return nil
}

// addressed is a pipe whose far end has an address.
type addressed struct {
	net.Conn
	remote net.Addr
}

func (c addressed) RemoteAddr() net.Addr { return c.remote }

// counted counts what goes over a stream, both ways.
type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.bytes.Add(int64(n))
	return n, err
}

func addressOf(t *transport) string {
	return net.JoinHostPort(t.address.IP.String(), strconv.Itoa(t.address.Port))
}
