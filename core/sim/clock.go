package sim

import "github.com/electd/electd/core"

// Time is true time: nanoseconds since a run began. Nodes never see it.
type Time = int64

// Durations of true time.
const (
	Microsecond Time = 1000
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// never is later than every run's end.
const never Time = 1 << 62

// clock is a node's monotonic clock: it started at an instant of its own and
// gains ppm microseconds every second.
type clock struct {
	start core.Instant
	ppm   int64
}

// at returns what the clock shows at true time t.
func (c clock) at(t Time) core.Instant {
	return c.start + core.Instant(t+t/1000*c.ppm/1000)
}

// when returns the earliest true time at which the clock shows i or more.
func (c clock) when(i core.Instant) Time {
	if i == core.Never {
		return never
	}
	t := Time(i - c.start)
	if c.ppm == 0 {
		return t
	}
	t -= t / 1000 * c.ppm / 1000
	for c.at(t) < i {
		t += 1 + Time(i-c.at(t))/2
	}
	for c.at(t-1) >= i {
		t--
	}
	return t
}
