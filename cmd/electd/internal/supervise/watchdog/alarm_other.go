//go:build !linux

package watchdog

import (
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// alarm wakes a poll at an instant. Where no file can be made readable by the
// clock, the poll looks at it in slices: its own timeout stands still while the
// machine sleeps.
type alarm struct{ fd int }

const (
	firstSlice = time.Millisecond
	slice      = 50 * time.Millisecond
)

func newAlarm() (*alarm, error) { return &alarm{fd: -1}, nil }

// set returns the poll's timeout in milliseconds.
func (*alarm) set(until boottime.Instant) int {
	return int(max(firstSlice, min(until.Left(), slice)) / time.Millisecond)
}
