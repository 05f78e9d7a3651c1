// Package arbitertest is the conformance kit for arbiters: whoever writes one runs
// it to learn whether an election may stand on it (design 4).
//
// Run is for a test, Check for a binary that wants one error, Examine for whoever
// wants the report. Every check has a name and one sentence of why it matters. A
// check that cannot be made is skipped by name and with its reason; a certified
// run has no failure and no skip.
package arbitertest

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

// Harness says how to reach the arbiter that is examined. Only Open is required.
type Harness struct {
	// Open returns a new client. All clients see the same store. The kit opens them
	// one after the other, uses them at once and closes each of them.
	Open func(ctx context.Context) (core.Arbiter, error)

	// OpenFaulty returns a new client whose way to the store the kit can break,
	// and the handles for that. Nil where the harness cannot: the checks that
	// need it are skipped.
	OpenFaulty func(ctx context.Context) (core.Arbiter, Faults, error)

	// Prefix begins every key that the kit uses. Default: "arbitertest-", a random
	// name and a slash, so that runs on one store do not meet.
	Prefix string

	// Timeout bounds one call. Default 5 s.
	Timeout time.Duration

	// WriteInterval is the shortest time between two writes to one key that the
	// store bears; zero where it bears any. The kit then makes fewer writes to a
	// key and waits so long where it is throttled.
	WriteInterval time.Duration

	// Rounds is how often a race is repeated. Default 10.
	Rounds int

	// Takers is how many clients race. Default 8.
	Takers int

	// AtOnce is how many checks are made at once. Default 4; all of them where the
	// store has a WriteInterval, since they then mostly wait.
	AtOnce int

	// Skip names checks that are not to be made, each with the reason.
	Skip map[string]string

	// OnResult, if set, hears of each result as soon as it is there.
	OnResult func(Result)
}

// Faults breaks one client's way to the store. A nil function means that the
// harness cannot do that.
type Faults struct {
	// LoseRequest makes the client's next write never reach the store. The client
	// hears nothing, or sees its connection break.
	LoseRequest func()

	// LoseAnswer lets the client's next write take effect as it may and loses the
	// answer. The client hears nothing, or sees its connection break.
	LoseAnswer func()

	// HoldWrite holds the client's next write back on its way. Once release is
	// called the store receives it and acts on it, whether or not the client still
	// waits; release returns when the store has acted.
	HoldWrite func() (release func())

	// Silence makes sure that the client hears nothing from the store any more,
	// with its connection open.
	Silence func()
}

// withDefaults returns h with its zero values replaced.
func (h Harness) withDefaults() Harness {
	if h.Prefix == "" {
		h.Prefix = "arbitertest-" + strings.ToLower(rand.Text()) + "/"
	}
	if h.Timeout == 0 {
		h.Timeout = 5 * time.Second
	}
	if h.Rounds == 0 {
		h.Rounds = 10
	}
	if h.Takers == 0 {
		h.Takers = 8
	}
	if h.AtOnce == 0 {
		h.AtOnce = 4
		if h.WriteInterval > 0 {
			h.AtOnce = len(checks)
		}
	}
	return h
}
