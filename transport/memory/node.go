package memory

import (
	"container/heap"
	"errors"
	"sync"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport"
	"github.com/electd/electd/transport/internal/roster"
)

var (
	errCut  = errors.New("the way is cut")
	errGone = errors.New("nobody there")
)

// node is one node's transport. One goroutine hands over all that reaches it.
type node struct {
	network *Network
	id      string
	peers   []string
	roster  roster.Roster

	// The network's lock guards these.
	reviews map[string]uint64 // per peer: the newest review; earlier ones are void
	errs    map[string]error  // per peer: why its connection does not stand

	mu       sync.Mutex
	inbox    inbox
	sequence uint64

	wake  chan struct{}
	close sync.Once
	quit  chan struct{}
	done  chan struct{}
}

func newNode(n *Network, id string, peers []string) *node {
	t := &node{
		network: n, id: id, peers: peers,
		reviews: make(map[string]uint64),
		errs:    make(map[string]error),
		wake:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	for _, peer := range peers {
		t.errs[peer] = errGone
	}
	go t.run()
	return t
}

// Join implements transport.Transport. It panics if election is joined.
func (t *node) Join(election string, h transport.Handler) (stop func()) {
	return t.roster.Join(election, h)
}

// Send implements transport.Transport. A message that does not name this node
// as its sender is dropped, as a real peer would.
func (t *node) Send(peer string, m core.Message) {
	n := t.network
	n.mu.Lock()
	defer n.mu.Unlock()
	to := n.attached[peer]
	if to == nil || n.attached[t.id] != t || m.Node != t.id {
		return
	}
	d := n.direction(t.id, peer)
	if d.cut || d.random.Float64() < d.Loss {
		return
	}
	copies := 1
	if d.random.Float64() < d.Duplicate {
		copies = 2
	}
	for range copies {
		due := time.Now().Add(d.Delay)
		if d.Jitter > 0 {
			due = due.Add(time.Duration(d.random.Int64N(int64(d.Jitter))))
		}
		to.schedule(arrival{due: due, peer: t.id, message: m})
	}
}

// Redial implements transport.Transport.
func (t *node) Redial(peer string) {
	n := t.network
	n.mu.Lock()
	defer n.mu.Unlock()
	err, known := t.errs[peer]
	if known && err == nil && n.attached[t.id] == t && n.standsLocked(t.id, peer) != nil {
		n.reviewLocked(t, peer, 0)
	}
}

// Peers implements transport.Transport.
func (t *node) Peers() []transport.Peer {
	t.network.mu.Lock()
	defer t.network.mu.Unlock()
	all := make([]transport.Peer, 0, len(t.peers))
	for _, peer := range t.peers {
		err := t.errs[peer]
		all = append(all, transport.Peer{Node: peer, Address: "memory:" + peer, Connected: err == nil, Err: err})
	}
	return all
}

// Close implements transport.Transport. The peers notice at once, as they do
// when a process ends and its host lives.
func (t *node) Close() error {
	t.close.Do(func() {
		n := t.network
		n.mu.Lock()
		delete(n.attached, t.id)
		for _, peer := range t.peers {
			t.errs[peer] = errGone
			n.reviewLocked(n.attached[peer], t.id, 0)
		}
		n.mu.Unlock()
		close(t.quit)
	})
	<-t.done
	t.roster.Silence()
	return nil
}

func (t *node) schedule(a arrival) {
	t.mu.Lock()
	t.sequence++
	a.sequence = t.sequence
	heap.Push(&t.inbox, a)
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *node) run() {
	defer close(t.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, ok := t.take(time.Now())
		if ok {
			t.receive(next)
			select {
			case <-t.quit:
				return
			default:
				continue
			}
		}
		timer.Stop()
		if !next.due.IsZero() {
			timer.Reset(time.Until(next.due))
		}
		select {
		case <-t.wake:
		case <-timer.C:
		case <-t.quit:
			return
		}
	}
}

// take returns what is due, or false and the earliest of what will be.
func (t *node) take(now time.Time) (next arrival, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.inbox) == 0 {
		return arrival{}, false
	}
	if t.inbox[0].due.After(now) {
		return t.inbox[0], false
	}
	return heap.Pop(&t.inbox).(arrival), true
}

func (t *node) receive(a arrival) {
	n := t.network
	if a.review == 0 {
		n.mu.Lock()
		lost := n.direction(a.peer, t.id).cut
		n.mu.Unlock()
		if !lost {
			t.roster.Deliver(a.message)
		}
		return
	}
	n.mu.Lock()
	if a.review != t.reviews[a.peer] || n.attached[t.id] != t {
		n.mu.Unlock()
		return
	}
	err := n.standsLocked(t.id, a.peer)
	t.errs[a.peer] = err
	n.mu.Unlock()
	if err == nil {
		t.roster.Up(a.peer)
	} else {
		t.roster.Down(a.peer, err)
	}
}
