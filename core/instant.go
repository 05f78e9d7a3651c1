package core

import (
	"math"
	"time"
)

// Instant is a moment of one node's own monotonic clock, in nanoseconds. It
// never crosses the wire: two nodes' instants cannot be compared. Zero is
// "not yet", Never is "not before something else happens".
type Instant int64

// Never is later than every moment.
const Never Instant = math.MaxInt64

// Add returns the instant d later. Never stays Never.
func (i Instant) Add(d time.Duration) Instant {
	if i == Never {
		return Never
	}
	return i + Instant(d)
}

// Sub returns the duration from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }
