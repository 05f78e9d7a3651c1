// Package transport carries the messages of elections between nodes.
//
// The interface is small because the protocol asks for little: messages may be
// lost, delayed, duplicated and reordered. What it does ask for is that a
// message's sender is who it says (a peer is known by its certificate's name),
// and that a dead connection is noticed and dialled anew at the pace of the
// heartbeats.
package transport

import "github.com/electd/electd/core"

// Transport connects one node with its peers, for all of its elections.
type Transport interface {
	// Join starts delivering the messages of one election to h and returns a
	// function that stops it. After stop has returned h is not called again; h
	// itself must therefore not call it. Peers already connected are reported
	// through h.PeerUp before Join returns. Joining an election twice at one
	// time panics.
	Join(election string, h Handler) (stop func())

	// Send queues m for the peer with that node id. It never blocks: what
	// cannot be queued is dropped, and so is everything while the connection it
	// would go on does not stand. While it waits, m may give way to a newer message
	// of its kind and election, but a Hello only to one of its role: one that asks,
	// one that answers and one that does neither do not replace each other.
	// Ack, Busy and Stale go back on the peer's own connection, everything else on
	// ours. It may be called from a Handler.
	Send(peer string, m core.Message)

	// Redial drops our connection to peer if nothing came back on it lately
	// and dials it anew. The caller has just missed an answer.
	Redial(peer string)

	// Peers describes every configured peer, for status and metrics.
	Peers() []Peer

	// Close ends all connections and waits for the transport's goroutines.
	Close() error
}

// Handler receives what the transport has for one election. Its methods are
// called from the transport's goroutines, one at a time, and must not block.
// PeerUp and PeerDown of one peer alternate; the first may be either.
type Handler interface {
	// Deliver hands over one message. m.Node is the peer's proven node id.
	Deliver(m core.Message)
	// PeerUp reports that our own connection to peer stands.
	PeerUp(peer string)
	// PeerDown reports that our own connection to peer broke or was refused.
	PeerDown(peer string, why error)
}

// Peer is the transport's view of one configured peer.
type Peer struct {
	Node      string
	Address   string
	Connected bool  // our own connection to it stands
	Err       error // why not, if known
}
