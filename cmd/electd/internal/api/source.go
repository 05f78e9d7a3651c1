// Package api serves the daemon's HTTP API (design 8.4): status, health codes,
// the event stream, metrics, and the requests of operators.
package api

import (
	"context"
	"time"

	"github.com/electd/electd/client"
)

// Source is the daemon behind the API.
type Source interface {
	Node() client.Node
	Election(name string) (Election, bool)
	// Transitions returns what happened after the one with that id, and a
	// channel that is closed when more has.
	Transitions(after uint64) ([]client.Transition, <-chan struct{})
}

// Election is one election of the daemon.
type Election interface {
	Status() client.Election
	StepDown(ctx context.Context, to string) (client.Done, error)
	Pause(d time.Duration) error
	Resume() error
	Admit() error
}
