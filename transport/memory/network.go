// Package memory is a network in memory, for tests: the faults of a real one
// on demand, and the same ones again for the same seed. It uses nothing but
// the clock and goroutines of the caller's testing/synctest bubble, if any.
package memory

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/electd/electd/transport"
)

// Config describes a network. Its zero value has no nodes.
type Config struct {
	Nodes    []string      // every node's peers are all the others
	Interval time.Duration // a dead connection is noticed after two and dialled each one; 500 ms if zero
	Link     Link          // what every direction is like at first
	Seed     uint64        // of loss, jitter and duplication
}

// Link is what happens to messages in one direction.
type Link struct {
	Delay     time.Duration // at least this long under way
	Jitter    time.Duration // up to this much longer: messages overtake each other
	Loss      float64       // share of messages lost, 0 to 1
	Duplicate float64       // share of messages that arrive twice, 0 to 1
}

// Network connects the nodes of one test. It is safe for concurrent use.
type Network struct {
	interval time.Duration
	nodes    []string

	mu         sync.Mutex
	directions map[route]*direction
	attached   map[string]*node
}

// route is one direction between two nodes.
type route struct{ from, to string }

// direction is the state of one route, with its own random numbers: what is
// lost here does not depend on how other directions are used.
type direction struct {
	Link
	cut    bool
	random *rand.Rand
}

// New returns the network of c's nodes, with nobody on it yet.
func New(c Config) *Network {
	n := &Network{
		interval:   c.Interval,
		nodes:      c.Nodes,
		directions: make(map[route]*direction),
		attached:   make(map[string]*node),
	}
	if n.interval == 0 {
		n.interval = 500 * time.Millisecond
	}
	for _, from := range c.Nodes {
		for _, to := range c.Nodes {
			if from != to {
				n.directions[route{from, to}] = &direction{Link: c.Link, random: source(c.Seed, from, to)}
			}
		}
	}
	return n
}

func source(seed uint64, from, to string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q%q", from, to)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Node puts a node on the network. After its Close the same id may come back,
// as a process does that was restarted. Node panics on an id that is not one
// of the network's, or is on it now.
func (n *Network) Node(id string) transport.Transport {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.attached[id] != nil {
		panic(fmt.Sprintf("memory: node %q is on the network already", id))
	}
	var peers []string
	for _, peer := range n.nodes {
		if peer != id {
			peers = append(peers, peer)
		}
	}
	if len(peers) == len(n.nodes) {
		panic(fmt.Sprintf("memory: node %q is not one of the network's", id))
	}
	joined := newNode(n, id, peers)
	n.attached[id] = joined
	for _, peer := range peers {
		n.reviewLocked(joined, peer, 0)
		n.reviewLocked(n.attached[peer], id, n.interval)
	}
	return joined
}

// SetLink changes one direction. Messages under way keep the time they have.
func (n *Network) SetLink(from, to string, l Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.direction(from, to).Link = l
}

// Cut stops one direction: what is under way is lost, and what is sent from
// now on. Both nodes report their connection down after two intervals, or on
// Redial. The other direction still carries messages, even then, which is
// more than a real connection would do.
func (n *Network) Cut(from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.direction(from, to).cut = true
	n.reviewBothLocked(from, to, 2*n.interval)
}

// Heal ends a Cut. Both nodes report their connection up within an interval,
// unless the other direction is cut as well.
func (n *Network) Heal(from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.direction(from, to).cut = false
	n.reviewBothLocked(from, to, n.interval)
}

func (n *Network) direction(from, to string) *direction {
	d := n.directions[route{from, to}]
	if d == nil {
		panic(fmt.Sprintf("memory: no way from %q to %q", from, to))
	}
	return d
}

// standsLocked says whether a connection between two nodes can stand, which
// takes both directions.
func (n *Network) standsLocked(a, b string) error {
	switch {
	case n.attached[a] == nil || n.attached[b] == nil:
		return errGone
	case n.direction(a, b).cut || n.direction(b, a).cut:
		return errCut
	}
	return nil
}

func (n *Network) reviewBothLocked(a, b string, after time.Duration) {
	n.reviewLocked(n.attached[a], b, after)
	n.reviewLocked(n.attached[b], a, after)
}

// reviewLocked has a node look at its connection to peer after a while,
// instead of at any time that was meant before.
func (n *Network) reviewLocked(at *node, peer string, after time.Duration) {
	if at != nil {
		at.reviews[peer]++
		at.schedule(arrival{due: time.Now().Add(after), peer: peer, review: at.reviews[peer]})
	}
}
