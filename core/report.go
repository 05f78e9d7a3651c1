package core

import (
	"context"
	"time"
)

// Reporter is an optional capability of an Arbiter: what it knows of itself and
// of those it speaks to. A report asks the store nothing.
type Reporter interface {
	Report(ctx context.Context) (ArbiterReport, error)
}

// ArbiterReport is what an arbiter has to tell its operator now.
type ArbiterReport struct {
	Credentials Credentials
	Problems    []string // each a sentence: what is wrong, what to do; none: all is well
	Preferred   []string // nodes that the arbiter would rather see lead than this one, best first
}

// Credentials says with what the arbiter signs its requests, and until when.
type Credentials struct {
	Source  string    // what gave them, as the store's own tools call it; empty: none in use yet
	ID      string    // the part that is no secret; may be empty
	Expires time.Time // zero: never
	Problem string    // why the last renewal failed; empty: it did not
}
