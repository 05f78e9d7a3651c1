package supervise

import (
	"fmt"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// When says after which ends a program is started again.
type When string

// The answers.
const (
	Never     When = "never"
	OnFailure When = "on-failure" // anything but exit status 0
	Always    When = "always"
)

// Restart says what is done when a program ended by itself. The zero value
// never restarts.
type Restart struct {
	When  When          // empty: Never
	Delay time.Duration // before the first restart; doubles with each further one. Default 1 s
	Most  time.Duration // the longest delay. Default one minute
	Limit int           // restarts in a row. Default 5
	// Steady is how long a program must have run for its next end to count as a
	// first one. Default one minute.
	Steady time.Duration
}

func (r Restart) check() error {
	switch r.When {
	case "", Never, OnFailure, Always:
		return nil
	}
	return fmt.Errorf("restart %q is none of %q, %q, %q", r.When, Never, OnFailure, Always)
}

func (r Restart) withDefaults() Restart {
	defaultTo(&r.Delay, time.Second)
	defaultTo(&r.Most, time.Minute)
	defaultTo(&r.Limit, 5)
	defaultTo(&r.Steady, time.Minute)
	return r
}

// attempts counts the restarts in a row.
type attempts int

// next says how long to wait before the program is started again after it ran
// for a while and ended with status; false if it is not started again.
func (a *attempts) next(r Restart, status watchdog.Status, ran time.Duration) (time.Duration, bool) {
	if r.When != Always && (r.When != OnFailure || status.Success()) {
		return 0, false
	}
	if ran >= r.Steady {
		*a = 0
	}
	if int(*a) >= r.Limit {
		return 0, false
	}
	delay := min(r.Delay<<*a, r.Most)
	if delay <= 0 { // shifted out
		delay = r.Most
	}
	*a++
	return delay, true
}

func defaultTo[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}
