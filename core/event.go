package core

import "time"

// OpID identifies one call to the arbiter, one hook, one save or one command.
// Exactly one event answers each; answers to operations no longer awaited are
// ignored.
type OpID uint64

// EventKind names what happened.
type EventKind uint8

// The events. Failures are events, not errors.
const (
	Ticked            EventKind = iota + 1 // a deadline of State.Next was reached; the clock says the rest
	ReadDone                               // Op, Outcome, Found, Record, Version, Age, StoreDate
	WriteDone                              // Op, Outcome, Version
	FloorSaved                             // Op, OK, Epoch
	PromoteDone                            // Op, OK: the service is up to date and running
	FenceDone                              // Op, OK: fence hook run and the service's processes gone
	PeerUp                                 // Peer: our own connection to it stands
	PeerDown                               // Peer: our own connection to it broke
	HelloReceived                          // Message
	HeartbeatReceived                      // Message
	AckReceived                            // Message
	BusyReceived                           // Message
	StaleReceived                          // Message
	ReleasedReceived                       // Message
	HandOverReceived                       // Message
	StandingChanged                        // Standing
	StepDownAsked                          // Op, Target: an operator's command on this node
	RenewAsked                             // the embedder wants a write to the arbiter younger than it is
	AdmitForced                            // the operator swears that every elector is gone for good
	Reloaded                               // the Config behind Step was replaced
	Hinted                                 // the arbiter's watch says that something changed
	ShutdownAsked                          // release what is held and take nothing more
	ServiceEnded                           // the promoted service ended by itself and is not started again
	eventKinds
)

var eventNames = [eventKinds]string{
	Ticked: "tick", ReadDone: "read done", WriteDone: "write done", FloorSaved: "floor saved",
	PromoteDone: "promote done", FenceDone: "fence done", PeerUp: "peer up", PeerDown: "peer down",
	HelloReceived: "hello", HeartbeatReceived: "heartbeat", AckReceived: "ack", BusyReceived: "busy",
	StaleReceived: "stale", ReleasedReceived: "released", HandOverReceived: "hand over",
	StandingChanged: "standing changed", StepDownAsked: "step down asked", RenewAsked: "renew asked",
	AdmitForced: "admit forced", Reloaded: "reloaded", Hinted: "hinted", ShutdownAsked: "shutdown asked",
	ServiceEnded: "service ended",
}

// String returns the event's name as it stands in traces and docs.
func (k EventKind) String() string {
	if k >= eventKinds {
		return "invalid"
	}
	return eventNames[k]
}

// Found says what a successful read found under the key.
type Found uint8

// What a read can find.
const (
	FoundAbsent  Found = iota + 1
	FoundRecord        // Event.Record
	FoundCorrupt       // bytes that do not parse: never the same as vacant or absent
	FoundNewer         // a format newer than ours: never overwritten
)

// Event is one thing that happened to a node. Which fields count is said at the
// kind. Record and Message belong to the caller; Step keeps neither pointer.
type Event struct {
	Kind EventKind
	Op   OpID `json:",omitempty"`

	// Randomness and wall clock arrive with every event: Random makes write_ids,
	// Wall (Unix milliseconds) is written into records for people to read.
	Random [2]uint64
	Wall   int64

	Outcome   Outcome       `json:",omitempty"`
	Found     Found         `json:",omitempty"`
	Record    *Record       `json:",omitempty"`
	Version   Version       `json:",omitempty"`
	Age       time.Duration `json:",omitempty"`
	StoreDate int64         `json:",omitempty"` // Unix seconds by the store's clock; 0 unknown

	OK       bool     `json:",omitempty"`
	Epoch    Epoch    `json:",omitempty"`
	Peer     string   `json:",omitempty"`
	Message  *Message `json:",omitempty"`
	Standing Standing
	Target   string `json:",omitempty"`
}

// received maps every message to the event that its arrival is.
var received = [...]EventKind{
	Hello: HelloReceived, Heartbeat: HeartbeatReceived, Ack: AckReceived, Busy: BusyReceived,
	Stale: StaleReceived, Released: ReleasedReceived, HandOver: HandOverReceived,
}

// Received returns the event that m's arrival is; false if m's kind is unknown.
func Received(m *Message) (Event, bool) {
	if m.Kind == 0 || int(m.Kind) >= len(received) {
		return Event{}, false
	}
	return Event{Kind: received[m.Kind], Message: m}, true
}
