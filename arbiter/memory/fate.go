package memory

import (
	"time"

	"github.com/electd/electd/core"
)

// Call is one request of a client, as the plan sees it.
type Call struct {
	Client string
	Write  bool // a CompareAndSwap; otherwise a Read
	Key    string
	Swap   core.Swap // zero for a Read
}

// Fate is what becomes of one request. The zero Fate is Pass. Fields combine; the
// functions below name the common ones.
type Fate struct {
	Refuse  error           // the answer, given at once in place of acting
	Lost    bool            // the request never arrives
	Arrives time.Duration   // the request is under way for so long
	Hold    <-chan struct{} // and arrives only once this is closed; nil: no such wait
	Answers time.Duration   // the answer is under way for so long
	Silent  bool            // the answer never arrives
	Instead error           // what the answer says in place of the truth, after acting
}

// Pass lets the store act and answer at once.
func Pass() Fate { return Fate{} }

// Slow puts latency on the request and on the answer.
func Slow(there, back time.Duration) Fate { return Fate{Arrives: there, Answers: back} }

// Drop loses the request: the store never acts, the client waits until its
// deadline. A write is core.ErrUnknown, a read core.ErrUnavailable.
func Drop() Fate { return Fate{Lost: true} }

// LoseAnswer lets the store act and loses the answer; the client waits until its
// deadline.
func LoseAnswer() Fate { return Fate{Silent: true} }

// Late lets the store act only after d, also when the client has long given up,
// and loses the answer.
func Late(d time.Duration) Fate { return Fate{Arrives: d, Silent: true} }

// Held lets the store act once release is closed, and loses the answer.
func Held(release <-chan struct{}) Fate { return Fate{Hold: release, Silent: true} }

// Refuse answers err at once in place of acting: core.ErrUnavailable is an
// outage, core.ErrThrottled, core.ErrDenied.
func Refuse(err error) Fate { return Fate{Refuse: err} }

// Answer lets the store act and answers err all the same: core.ErrConflict is the
// conflict after a commit that a retrying intermediary produces, core.ErrUnknown
// a reset connection.
func Answer(err error) Fate { return Fate{Instead: err} }
