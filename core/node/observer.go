package node

import (
	"time"

	"github.com/electd/electd/core"
)

// Observer is told what happens, for logs, metrics and the API. It is called
// from the node's loop, Answered from the call's own goroutine, and must not block.
type Observer interface {
	// Guarded reports what the guard answers from now on: open at epoch until
	// that instant, or, with epoch zero, shut.
	Guarded(now core.Instant, epoch core.Epoch, until core.Instant)
	// Changed reports a transition of the phase.
	Changed(Change)
	// Told reports something a person should know.
	Told(reason core.Reason, epoch core.Epoch)
	// Answered reports one call to the arbiter.
	Answered(Call)
	// Sent reports a message that left for a peer.
	Sent(peer string, kind core.MessageKind)
	// Received reports a message that came from a peer.
	Received(peer string, kind core.MessageKind)
	// Late reports by how much the loop missed the instant it wanted to wake at.
	Late(by time.Duration)
	// RoundTrip reports how long a peer took to acknowledge a heartbeat.
	RoundTrip(peer string, took time.Duration)
	// Offset reports a peer's wall clock less this node's, within the uncertainty.
	Offset(peer string, offset, uncertainty time.Duration)
	// Failed reports what could not be done on this machine, from any goroutine.
	Failed(what string, err error)
	// Broken reports that an invariant failed: this election acts no more.
	Broken(violation error, dump []byte)
}

// Change is one transition.
type Change struct {
	At       time.Time // wall clock, for people
	From, To core.Phase
	Epoch    core.Epoch
	Reason   core.Reason
	Leader   string // node id of the holder, as far as known
}

// Call is one finished call to the arbiter.
type Call struct {
	Intent  core.Intent // zero for a read
	Outcome core.Outcome
	Err     error // nil if Applied
	Took    time.Duration
}

// Unobserved is an Observer that looks away.
type Unobserved struct{}

// Guarded does nothing.
func (Unobserved) Guarded(core.Instant, core.Epoch, core.Instant) {}

// Changed does nothing.
func (Unobserved) Changed(Change) {}

// Told does nothing.
func (Unobserved) Told(core.Reason, core.Epoch) {}

// Answered does nothing.
func (Unobserved) Answered(Call) {}

// Sent does nothing.
func (Unobserved) Sent(string, core.MessageKind) {}

// Received does nothing.
func (Unobserved) Received(string, core.MessageKind) {}

// Late does nothing.
func (Unobserved) Late(time.Duration) {}

// RoundTrip does nothing.
func (Unobserved) RoundTrip(string, time.Duration) {}

// Offset does nothing.
func (Unobserved) Offset(string, time.Duration, time.Duration) {}

// Failed does nothing.
func (Unobserved) Failed(string, error) {}

// Broken does nothing.
func (Unobserved) Broken(error, []byte) {}

// Observers tells everything to each of them, in order.
type Observers []Observer

// Guarded tells each.
func (all Observers) Guarded(now core.Instant, epoch core.Epoch, until core.Instant) {
	for _, o := range all {
		o.Guarded(now, epoch, until)
	}
}

// Changed tells each.
func (all Observers) Changed(c Change) {
	for _, o := range all {
		o.Changed(c)
	}
}

// Told tells each.
func (all Observers) Told(reason core.Reason, epoch core.Epoch) {
	for _, o := range all {
		o.Told(reason, epoch)
	}
}

// Answered tells each.
func (all Observers) Answered(c Call) {
	for _, o := range all {
		o.Answered(c)
	}
}

// Sent tells each.
func (all Observers) Sent(peer string, kind core.MessageKind) {
	for _, o := range all {
		o.Sent(peer, kind)
	}
}

// Received tells each.
func (all Observers) Received(peer string, kind core.MessageKind) {
	for _, o := range all {
		o.Received(peer, kind)
	}
}

// Late tells each.
func (all Observers) Late(by time.Duration) {
	for _, o := range all {
		o.Late(by)
	}
}

// RoundTrip tells each.
func (all Observers) RoundTrip(peer string, took time.Duration) {
	for _, o := range all {
		o.RoundTrip(peer, took)
	}
}

// Offset tells each.
func (all Observers) Offset(peer string, offset, uncertainty time.Duration) {
	for _, o := range all {
		o.Offset(peer, offset, uncertainty)
	}
}

// Failed tells each.
func (all Observers) Failed(what string, err error) {
	for _, o := range all {
		o.Failed(what, err)
	}
}

// Broken tells each.
func (all Observers) Broken(violation error, dump []byte) {
	for _, o := range all {
		o.Broken(violation, dump)
	}
}
