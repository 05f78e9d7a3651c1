package hardware

import (
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// lateFence is a fence that is not known to be over although it has to be. The
// zero value is none.
type lateFence struct {
	by     boottime.Instant // when it had to be over
	report boottime.Instant // when it is an overrun, unless it is found to be over before
}

const (
	// An electd that begins a fence less than ahead before it has to be over, or
	// looks at it more than behind after that, stood still.
	ahead  = 20 * time.Millisecond
	behind = 100 * time.Millisecond
	// settle is how long an electd that stood still has to find out that the
	// watchdog process has long killed the program.
	settle = 500 * time.Millisecond
)

// or takes in a fence that had to be over by an instant, of which electd was told
// at another. It is an overrun at once if electd ran all that time.
func (l lateFence) or(by, told, now boottime.Instant) lateFence {
	report := now
	if by.Sub(told) < ahead || now.Sub(by) > behind {
		report = now.Add(settle)
	}
	if l.by == 0 {
		return lateFence{by: by, report: report}
	}
	return lateFence{by: min(l.by, by), report: min(l.report, report)}
}
