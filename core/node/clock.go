package node

import (
	"time"

	"github.com/electd/electd/core"
)

// Clock gives this node's own monotonic time. Instants start well above zero.
type Clock func() core.Instant

// origin keeps instants of ClockFromTime away from zero.
const origin = core.Instant(time.Hour)

// ClockFromTime returns a clock that follows package time's monotonic reading.
// It stands still while the machine is suspended; in a testing/synctest bubble
// it follows the bubble's time.
func ClockFromTime() Clock {
	start := time.Now()
	return func() core.Instant { return origin.Add(time.Since(start)) }
}
