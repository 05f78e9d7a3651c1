// Package api serves the daemon's HTTP API (design 8.4): status, health codes,
// the event stream, guards of other programs, metrics, the web page, and the
// requests of operators.
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
	// Transitions returns what is kept of what happened after the one with that
	// number, and a channel that is closed when more has.
	Transitions(after uint64) ([]client.Transition, <-chan struct{})
	// ReloadPlugin puts a new process in the place of the arbiter's plugin; with a
	// name, only if that is the arbiter's. After an error the old one goes on.
	ReloadPlugin(ctx context.Context, name string) (client.Plugin, error)
}

// Election is one election of the daemon. An error says what was refused, and
// why; ctx's error that what became of it is not known.
type Election interface {
	Status() client.Election
	Lease(ctx context.Context) (client.Lease, error)
	StepDown(ctx context.Context, to string) (client.Done, error)
	Pause(d time.Duration) error
	Resume() error
	Admit() error
	Release(ctx context.Context, epoch uint64) (client.Done, error)
}
