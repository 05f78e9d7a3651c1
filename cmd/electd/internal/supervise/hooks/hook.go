// Package hooks runs the user's commands at changes of role (design 8.3): one
// at a time, in order, out of the way of everybody who asks for them. Only a
// fence does not wait for a demote.
package hooks

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/environ"
)

// Kind names a change of role.
type Kind string

// The hooks.
const (
	Promote Kind = "promote" // before leading: make the service active. May veto
	Fence   Kind = "fence"   // stop acting, at once
	Demote  Kind = "demote"  // after leading: make the service passive
	Follow  Kind = "follow"  // a leader to follow is known
)

// role is the one that a hook leads to.
func (k Kind) role() string {
	if k == Promote {
		return "leader"
	}
	return "follower"
}

// overtakenBy lists what ends a hook before its time, running or waiting: a
// newer role, which makes it pointless. What makes a service passive is not in
// it: that is never pointless.
var overtakenBy = map[Kind][]Kind{
	Promote: {Promote, Fence, Demote, Follow},
	Follow:  {Promote, Fence, Follow},
}

func (k Kind) overtaken(by Kind) bool { return slices.Contains(overtakenBy[k], by) }

// waitsFor reports whether a hook's turn comes only after an older one's. A fence
// has to be over before the authority ends, and what a demote does is no harm to
// it: both make the service passive.
func (k Kind) waitsFor(older Kind) bool { return k != Fence || older != Demote }

// Hook is the command for one Kind.
type Hook struct {
	Command []string // program and arguments, no shell
	Dir     string   // working folder; empty: electd's
	Env     map[string]string
	Timeout time.Duration // killed with its children after this long. Default 30 s
}

const defaultTimeout = 30 * time.Second

func (h Hook) check(k Kind) error {
	var errs []error
	if len(h.Command) == 0 || h.Command[0] == "" {
		errs = append(errs, errors.New("no command is given"))
	}
	if h.Timeout < 0 {
		errs = append(errs, fmt.Errorf("the timeout %s is negative", h.Timeout))
	}
	if err := errors.Join(append(errs, environ.Check(h.Env))...); err != nil {
		return fmt.Errorf("hook %q: %w", k, err)
	}
	return nil
}

// Request asks for one hook to be run.
type Request struct {
	Kind   Kind
	Epoch  uint64
	Reason string // why the role changes
	Leader string // node id of the leader, where one is known
}

func (r Request) environment() []string {
	return []string{
		"ELECTD_HOOK=" + string(r.Kind),
		"ELECTD_ROLE=" + r.Kind.role(),
		fmt.Sprintf("ELECTD_EPOCH=%d", r.Epoch),
		"ELECTD_REASON=" + r.Reason,
		"ELECTD_LEADER=" + r.Leader,
	}
}

// Outcome is what became of a request.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"      // it exited with 0, or there is no such hook
	Failed    Outcome = "failed"    // it exited otherwise, or could not be started: Err
	TimedOut  Outcome = "timed out" // its time was over, so it was killed
	Overtaken Outcome = "overtaken" // a newer role ended it, perhaps before it began
	Closed    Outcome = "closed"    // the Runner was closed first
)

// Result answers a request.
type Result struct {
	Outcome Outcome
	Took    time.Duration // 0 if there is no such hook
	Err     error         // nil if Done; else a sentence that names the hook
}

// The causes by which a hook's context ends.
var (
	errTimedOut  = errors.New("its time is over")
	errOvertaken = errors.New("a newer role made it pointless")
	errClosed    = errors.New("electd ends")
)

// outcomeOf reads what became of a hook from the error of its command.
func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errTimedOut):
		return TimedOut
	case errors.Is(err, errOvertaken):
		return Overtaken
	case errors.Is(err, errClosed):
		return Closed
	}
	return Failed
}

func resultOf(k Kind, h Hook, took time.Duration, err error) Result {
	r := Result{Outcome: outcomeOf(err), Took: took}
	if r.Outcome == TimedOut {
		err = fmt.Errorf("not over after its timeout of %s, so it was killed", h.Timeout)
	}
	if err != nil {
		r.Err = fmt.Errorf("hook %q (%s): %w", k, h.Command[0], err)
	}
	return r
}
