package watchdog

import (
	"math"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// plan decides when the program is asked to stop and when it is killed. It is
// told the time, so what it decides depends on nothing else.
type plan struct {
	deadline boottime.Instant
	warning  time.Duration // ask this long before the deadline; 0: never
	timeout  time.Duration // from asking to the kill where nobody says

	ending bool             // the end has begun, for cause
	cause  Cause            // the first cause stands
	killAt boottime.Instant // when ending; the deadline may be sooner
	asked  bool
}

// step is what a plan wants done.
type step byte

const (
	nothing step = iota
	ask          // send the stop signal
	kill         // SIGKILL for the whole group
)

const never = boottime.Instant(math.MaxInt64)

// end begins the end. Asked again, the sooner kill counts.
func (p *plan) end(cause Cause, killAt boottime.Instant) {
	if !p.ending {
		p.ending, p.cause, p.killAt = true, cause, killAt
		return
	}
	p.killAt = min(p.killAt, killAt)
}

// endIn begins the end with the stop timeout that the program has by itself.
func (p *plan) endIn(cause Cause, now boottime.Instant) { p.end(cause, now.Add(p.timeout)) }

// killBy is the instant of the kill as things stand.
func (p *plan) killBy() boottime.Instant {
	if p.ending {
		return min(p.killAt, p.deadline)
	}
	return p.deadline
}

// hopeless is the instant at which the kill, which was due that much earlier, has
// to be left to others; 0 while there is none.
func (p *plan) hopeless(allowance time.Duration) boottime.Instant {
	by := p.killBy()
	if allowance == 0 || by > never.Add(-allowance) {
		return 0
	}
	return by.Add(allowance)
}

// over says whether everybody is to be killed.
func (p *plan) over(now boottime.Instant) bool {
	if now >= p.deadline && !p.ending {
		p.end(Deadline, p.deadline)
	}
	return now >= p.killBy()
}

// due says what is to be done now; that it is time to ask, once.
func (p *plan) due(now boottime.Instant) step {
	switch {
	case p.over(now):
		return kill
	case p.ending && !p.asked, p.warns() && now >= p.warnAt():
		if !p.ending {
			p.end(Deadline, p.deadline)
		}
		p.asked = true
		return ask
	}
	return nothing
}

// next is the instant at which due may answer otherwise.
func (p *plan) next() boottime.Instant {
	if p.warns() {
		return min(p.warnAt(), p.killBy())
	}
	return p.killBy()
}

func (p *plan) warns() bool { return p.warning > 0 && !p.ending }

func (p *plan) warnAt() boottime.Instant { return p.deadline.Add(-p.warning) }
