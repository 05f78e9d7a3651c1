package core

import "time"

// ActionKind names what is to be done.
type ActionKind uint8

// The actions. Their order within a step is the order to start them in; none
// may delay the next Step.
const (
	DoRead     ActionKind = iota + 1 // Op, Timeout
	DoWrite                          // Op, Expected, Record, Intent, Timeout
	DoSend                           // Peer, Message
	DoSave                           // Op, Epoch: put the floor on disk
	DoPromote                        // Op, Epoch: bring the service up to date and start it
	DoFence                          // Op, Epoch, Until: stop the service; it must be over by Until
	DoDemote                         // Epoch: make the service passive
	DoFollow                         // Epoch, Peer: somebody else leads
	DoAnswer                         // Op, Reason: what became of a command; no Reason means done
	DoTell                           // Reason: something a person should know
	Transition                       // From, To, Reason, Epoch: the phase changed
)

// Action is one thing to do. Which fields count is said at the kind.
type Action struct {
	Kind     ActionKind
	Op       OpID          `json:",omitempty"`
	Peer     string        `json:",omitempty"`
	Message  Message       `json:",omitzero"`
	Record   *Record       `json:",omitempty"`
	Expected Version       `json:",omitempty"`
	Intent   Intent        `json:",omitempty"`
	Timeout  time.Duration `json:",omitempty"`
	Epoch    Epoch         `json:",omitempty"`
	Until    Instant       `json:",omitempty"`
	From     Phase         `json:",omitempty"`
	To       Phase         `json:",omitempty"`
	Reason   Reason        `json:",omitempty"`
}
