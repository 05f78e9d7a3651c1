package core

import (
	"context"
	"errors"
	"time"
)

// Version is an arbiter's opaque tag of what it stores under a key: an ETag, a
// generation, a revision. The zero Version means that the key was never
// written. Versions are only ever compared for equality.
type Version string

// Intent says what a Swap is for. Arbiters do not decide by it; they may use it
// to rank (bully) or to account for requests.
type Intent uint8

// The intents of a write to the arbiter.
const (
	Take    Intent = iota + 1 // starts a holding
	Renew                     // extends one's own holding
	Release                   // ends one's own holding: vacant, epoch kept
)

// Snapshot is what an arbiter holds under one key at one moment.
type Snapshot struct {
	Version Version
	Record  []byte // the stored bytes; nil when the key was never written

	// Age is how long ago the record was stored, by the store's own clock, less
	// that clock's resolution and a configured skew. Zero means unknown. It must
	// never be larger than the truth: a challenger waits a lease less the age.
	Age time.Duration

	// StoreTime is the store's own date when it answered; zero where unknown.
	StoreTime time.Time
}

// Swap is one conditional write: store Record under Key iff the version stored
// there is still Expected.
type Swap struct {
	Key      string
	Expected Version // zero: create, the key must never have been written
	Record   []byte  // at most 64 KiB
	Intent   Intent
}

// Arbiter is a register with compare-and-swap, one record a key. All election
// logic is in this package; an arbiter only stores. Implementations must be
// linearizable and safe for concurrent use, and must not retry writes by
// themselves: whether a write may have happened is for the core to find out.
type Arbiter interface {
	// Read returns the record stored under key. A key that was never written
	// is not an error: the Snapshot then has the zero Version and no Record.
	Read(ctx context.Context, key string) (Snapshot, error)

	// CompareAndSwap stores swap.Record iff the stored version is still
	// swap.Expected and returns the new version. It honours ctx's deadline.
	CompareAndSwap(ctx context.Context, swap Swap) (Version, error)

	// Close frees what the arbiter holds. A second Close does nothing.
	Close() error
}

// Watcher is an optional capability of an Arbiter: a hint that something
// changed, never a proof. The channel is closed when ctx ends or the watch is
// lost; the caller reads and watches anew.
type Watcher interface {
	Watch(ctx context.Context, key string) (<-chan Snapshot, error)
}

// The codes an Arbiter's errors carry, to be tested with errors.Is. On a write,
// an error without a code means ErrUnknown; on a read, ErrUnavailable.
var (
	// ErrConflict: the stored version was not the expected one.
	ErrConflict = errors.New("conflict")
	// ErrUnknown: the write may or may not have been applied, or may yet be.
	ErrUnknown = errors.New("outcome unknown")
	// ErrUnavailable: the store was not reached; a write was certainly not applied.
	ErrUnavailable = errors.New("unavailable")
	// ErrThrottled: the store asks for fewer requests; certainly not applied.
	ErrThrottled = errors.New("throttled")
	// ErrDenied: credentials or permissions do not suffice; certainly not applied.
	ErrDenied = errors.New("denied")
	// ErrInvalid: the request or the configuration is wrong; certainly not applied.
	ErrInvalid = errors.New("invalid")
	// ErrCorrupt: what is stored cannot be read as a record. Never the same as absent.
	ErrCorrupt = errors.New("corrupt")
)

// Outcome is what became of one call to the arbiter.
type Outcome uint8

// The outcomes. Only Applied and the four "certainly not applied" ones are
// definite; Conflict and Unknown are always looked up by a read (design 3.6).
const (
	Applied Outcome = iota + 1
	Conflict
	Unknown
	Unavailable
	Throttled
	Denied
	Invalid
	Corrupt
)

// codes pairs every error code with its outcome, in the order they are tried.
var codes = []struct {
	err     error
	outcome Outcome
}{
	{ErrConflict, Conflict},
	{ErrUnknown, Unknown},
	{ErrUnavailable, Unavailable},
	{ErrThrottled, Throttled},
	{ErrDenied, Denied},
	{ErrInvalid, Invalid},
	{ErrCorrupt, Corrupt},
}

// WriteOutcome classifies the error of a CompareAndSwap. Whatever carries no
// code may have happened: it is Unknown.
func WriteOutcome(err error) Outcome { return classify(err, Unknown) }

// ReadOutcome classifies the error of a Read. Whatever carries no code told us
// nothing: it is Unavailable.
func ReadOutcome(err error) Outcome { return classify(err, Unavailable) }

func classify(err error, otherwise Outcome) Outcome {
	if err == nil {
		return Applied
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.outcome
		}
	}
	return otherwise
}

// Code returns the error code that an outcome stands for, nil for Applied.
func (o Outcome) Code() error {
	for _, c := range codes {
		if c.outcome == o {
			return c.err
		}
	}
	return nil
}

// String returns the outcome's name as it stands in traces and metrics.
func (o Outcome) String() string {
	if o == Applied {
		return "applied"
	}
	if err := o.Code(); err != nil {
		if o == Unknown {
			return "unknown"
		}
		return err.Error()
	}
	return "none"
}
