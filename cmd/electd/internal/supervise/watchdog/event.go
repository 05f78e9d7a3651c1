package watchdog

import (
	"encoding/json"
	"fmt"
	"syscall"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

// EventKind names what a watchdog tells electd.
type EventKind string

// The events. Waiting may come first; then Started or Failed; after Started
// comes Killing or not, and last Exited. Failed and Exited are the last event
// of a watchdog, and no process of its program is left then. Lost stands for
// them when the watchdog was killed.
const (
	Waiting EventKind = "waiting" // an earlier watchdog holds the lock: Holder
	Started EventKind = "started" // PID
	Failed  EventKind = "failed"  // the program was not started: Cause, Reason
	Killing EventKind = "killing" // the whole group gets SIGKILL: Cause, Late
	Exited  EventKind = "exited"  // the whole group is gone: Status, Cause
	Lost    EventKind = "lost"    // the watchdog died without a word: Reason. Its lock says whether its program did
)

// Cause says why a program ended, or was not started.
type Cause string

// The causes.
const (
	Itself   Cause = "itself"   // it ended by itself
	Stopped  Cause = "stopped"  // electd asked
	Deadline Cause = "deadline" // the deadline was not extended
	Orphaned Cause = "orphaned" // electd is gone
	Signaled Cause = "signaled" // somebody sent SIGTERM to the watchdog
	Locked   Cause = "locked"   // an earlier watchdog's group is not gone
	Refused  Cause = "refused"  // the operating system would not start it
	Died     Cause = "watchdog" // the watchdog process was killed, and the program with it
)

// Status is how the program's first process ended.
type Status struct {
	Code   int            `json:"code"`             // exit status; meaningless with Signal
	Signal syscall.Signal `json:"signal,omitempty"` // what killed it, 0 if it exited
}

// Success says whether the program exited with 0.
func (s Status) Success() bool { return s.Code == 0 && s.Signal == 0 }

// ExitCode is the status as a shell gives it: 128 + the signal's number for a
// program that was killed.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by %s", s.Signal)
	}
	return fmt.Sprintf("exit status %d", s.Code)
}

// Event is one thing a watchdog tells electd.
type Event struct {
	Kind   EventKind       `json:"event"`
	PID    int             `json:"pid,omitempty"`
	Cgroup string          `json:"cgroup,omitempty"` // Started: folder of the control group, if there is one
	Cause  Cause           `json:"cause,omitempty"`
	Status Status          `json:"status,omitzero"`
	Late   time.Duration   `json:"late_ns,omitempty"` // Killing: how long after the instant it was due
	Holder lockfile.Holder `json:"holder,omitzero"`
	Reason string          `json:"reason,omitempty"`
}

func (e Event) line() []byte {
	body, err := json.Marshal(e)
	if err != nil {
		panic("watchdog: an event does not encode: " + err.Error()) // no field of it can fail
	}
	return append(body, '\n')
}
