package pgtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
)

// Proxy passes PostgreSQL's protocol on, message by message, except what a test
// breaks.
type Proxy struct {
	Address string // host:port of the proxy

	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	links  map[*link]struct{}
	next   fate // of the next write
	silent bool
	closed bool
}

// fate decides what becomes of a write; its client hears nothing of it.
type fate func(l *link, request []byte)

// link is one client's connection and the one made for it.
type link struct {
	client, store net.Conn

	mu     sync.Mutex
	deaf   bool          // answers are kept from the client
	answer chan struct{} // closed by the next end of an answer; nil: nobody waits
}

// NewProxy starts a proxy in front of the server at address. It ends with the
// test.
func NewProxy(t testing.TB, address string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Address: listener.Addr().String(), target: address, listener: listener, links: map[*link]struct{}{}}
	p.running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(p.close)
	return p
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for l := range p.links {
		_, _ = l.client.Close(), l.store.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// Faults are the handles for the conformance kit.
func (p *Proxy) Faults() arbitertest.Faults {
	return arbitertest.Faults{
		LoseRequest: func() { p.doom(func(l *link, _ []byte) { l.deafen() }) },
		LoseAnswer: func() {
			p.doom(func(l *link, request []byte) {
				l.deafen()
				l.deliver(request)
			})
		},
		HoldWrite: func() (release func()) {
			released, done := make(chan struct{}), make(chan struct{})
			p.doom(func(l *link, request []byte) {
				l.deafen()
				go func() {
					defer close(done)
					<-released
					l.deliver(request)
				}()
			})
			return func() {
				close(released)
				<-done
			}
		},
		Silence: func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.silent = true
			for l := range p.links {
				l.deafen()
			}
		},
	}
}

func (p *Proxy) doom(f fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = f
}

func (l *link) deafen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deaf = true
}

// deliver sends a request to the store and waits until it has been answered.
func (l *link) deliver(request []byte) {
	answered := make(chan struct{})
	l.mu.Lock()
	l.answer = answered
	l.mu.Unlock()
	if _, err := l.store.Write(request); err != nil {
		return
	}
	<-answered
}

// serve carries one connection. The store's side outlives the client's, as a
// request in flight does.
func (p *Proxy) serve(client net.Conn) {
	store, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{client: client, store: store}
	p.mu.Lock()
	p.links[l] = struct{}{}
	l.deaf = p.silent
	if p.closed {
		_, _ = client.Close(), store.Close()
	}
	p.mu.Unlock()
	p.running.Go(func() { l.answers() })
	doomed := p.requests(l)
	if !doomed { // its own end is the store's
		_ = store.Close()
	}
	_ = client.Close()
}

// answers passes on what the store says, and notes the end of every answer.
func (l *link) answers() {
	defer l.answered()
	for {
		kind, message, err := readMessage(l.store)
		if err != nil {
			_ = l.client.Close()
			return
		}
		l.mu.Lock()
		deaf := l.deaf
		l.mu.Unlock()
		if !deaf {
			_, _ = l.client.Write(message)
		}
		if kind == 'Z' { // ready for the next
			l.answered()
		}
	}
}

func (l *link) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answer != nil {
		close(l.answer)
		l.answer = nil
	}
}

// requests passes on what the client asks, one whole request at a time, until
// it ends; it says whether a write on the way met its fate.
func (p *Proxy) requests(l *link) (doomed bool) {
	opening, err := readOpening(l.client)
	if err != nil {
		return false
	}
	// A request to cancel comes on a connection of its own. It is lost: it would
	// arrive before what it is to cancel, and undo the fault.
	if len(opening) >= 8 && binary.BigEndian.Uint32(opening[4:]) == cancelRequest {
		return false
	}
	_, _ = l.store.Write(opening)
	var request []byte
	for {
		kind, message, err := readMessage(l.client)
		if err != nil {
			return doomed
		}
		request = append(request, message...)
		if kind != 'S' && kind != 'Q' && kind != 'X' && kind != 'p' {
			continue // more of it follows
		}
		p.mu.Lock()
		silent, fate := p.silent, fate(nil)
		if isWrite(request) {
			fate, p.next = p.next, nil
		}
		p.mu.Unlock()
		switch {
		case silent || doomed:
		case fate != nil:
			doomed = true
			fate(l, request)
		default:
			_, _ = l.store.Write(request)
		}
		request = nil
	}
}

// cancelRequest is the code that a request to cancel bears in place of a version.
const cancelRequest = 80877102

func isWrite(request []byte) bool {
	return bytes.Contains(request, []byte("INSERT INTO")) || bytes.Contains(request, []byte("UPDATE "))
}

// readOpening reads a connection's first message, which has no kind.
func readOpening(r io.Reader) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, err
	}
	return readRest(r, length)
}

// readMessage reads one message: its kind, and all of it.
func readMessage(r io.Reader) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	message, err = readRest(r, head)
	return head[0], message, err
}

// readRest reads what a head announces, whose last four bytes are the length.
func readRest(r io.Reader, head []byte) ([]byte, error) {
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	if length < 4 || length > 1<<24 {
		return nil, io.ErrUnexpectedEOF
	}
	message := append(head, make([]byte, length-4)...)
	_, err := io.ReadFull(r, message[len(head):])
	return message, err
}
