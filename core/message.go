package core

import "time"

// MessageKind names one of the messages between nodes (design 3.9).
type MessageKind uint8

// The messages. Every node dials every peer and sends on its own connection;
// Ack, Busy and Stale come back on the connection the Heartbeat came on.
const (
	Hello     MessageKind = iota + 1 // on connecting and on change; to the leader it is also the knock
	Heartbeat                        // leader to every peer, each interval
	Ack                              // answer: promised (or, if not asked, the way is open)
	Busy                             // answer: a write of mine is unresolved, or I have no floor yet
	Stale                            // answer: I know a higher epoch
	Released                         // after a release is known applied
	HandOver                         // an operator's request, forwarded to the leader
)

// Message is one message of one election. It is a plain comparable value; the
// fields below the envelope are set as the kind's comment says. No instant
// crosses the wire, only durations; WallClock is for the offset gauge alone.
type Message struct {
	Kind     MessageKind
	Election string
	Node     string // sender's node id
	Identity string // sender's identity, as electors are named by both
	Session  string // sender's session

	// Heartbeat, Released: the position of the record it stands on. Hello: of the
	// newest record known. Busy: the position that its unresolved write expects,
	// zero for want of a floor. Ack: the heartbeat's epoch. Stale: the highest known.
	Epoch    Epoch
	Revision Revision
	Version  Version // Heartbeat, Released: the arbiter's tag of that record

	Seq            uint64        // Heartbeat, and its answer. Hello: the question that it asks or answers; 0: it is no certain answer
	ArbiterLeft    time.Duration // Heartbeat: arbiter authority left when sent; 0 after a waiver
	HeartbeatLease time.Duration // Heartbeat: what an acknowledgement of it promises
	Asking         bool          // Heartbeat: an acknowledgement is a promise. Ack: it was one. Hello: say Hello too
	Holder         string        // Ack, Busy, Stale: session of the heartbeat that is answered. Hello: of the one that asked

	HasFloor   bool   // Hello
	Floor      Epoch  // Hello
	Eligible   bool   // Hello: healthy, not paused, priority above 0
	Paused     bool   // Hello
	Priority   int    // Hello
	APIAddress string // Hello
	Software   string // Hello: software version

	Successor string // Released: node id named as the next leader, or empty
	Target    string // HandOver: node id, or empty for anyone

	WallClock int64 // Heartbeat and its answers: sender's wall clock, Unix ns; nothing decides on it
}
