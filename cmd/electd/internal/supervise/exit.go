package supervise

import (
	"fmt"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// Exit says how a Run ended. No process of it is left.
type Exit struct {
	Cause    watchdog.Cause  // of the last copy's end
	Status   watchdog.Status // of the last copy; exec passes Status.ExitCode() on
	Restarts int             // copies after the first
	// Err says in words why there is no program although nobody asked for that;
	// nil if it was stopped, or ended with status 0 and is not to be restarted.
	Err error
}

// end is how one copy ended.
type end struct {
	event watchdog.Event // Exited, Failed or Lost
	ran   bool
}

// restartable says whether the end is one that the restart policy decides on.
func (e end) restartable() bool {
	switch e.event.Cause {
	case watchdog.Stopped, watchdog.Deadline:
		return false
	case watchdog.Locked, watchdog.Refused:
		return e.ran // the first start of all tells the caller instead
	}
	return true
}

// status counts what has none as a failure.
func (e end) status() watchdog.Status {
	if e.event.Kind != watchdog.Exited {
		return watchdog.Status{Code: 1}
	}
	return e.event.Status
}

// String says in a few words what the program's end was.
func (e end) String() string {
	switch e.event.Kind {
	case watchdog.Lost:
		return "its watchdog process died"
	case watchdog.Failed:
		return "it was not started"
	}
	return e.event.Status.String()
}

func (e end) err() error {
	switch {
	case e.event.Kind == watchdog.Failed && e.event.Cause != watchdog.Stopped:
		return fmt.Errorf("the program was not started: %s", e.event.Reason)
	case e.event.Kind == watchdog.Lost:
		return fmt.Errorf("the program was killed: %s", e.event.Reason)
	case e.event.Cause == watchdog.Deadline:
		return fmt.Errorf("the program was ended at its deadline, which nobody extended: %s", e.event.Status)
	case e.event.Cause == watchdog.Stopped || e.event.Status.Success():
		return nil
	default:
		return fmt.Errorf("the program ended: %s", e.event.Status)
	}
}
