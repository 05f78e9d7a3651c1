package watchdog

import (
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

func TestPlan(t *testing.T) {
	const ms = 1_000_000
	fresh := func() *plan { return &plan{deadline: 1000 * ms, timeout: 300 * time.Millisecond} }

	t.Run("kills at the deadline and not before", func(t *testing.T) {
		p := fresh()
		expect(t, p, 1000*ms-1, nothing)
		expect(t, p, 1000*ms, kill)
		if p.cause != Deadline {
			t.Errorf("cause is %q", p.cause)
		}
	})
	t.Run("a deadline may move either way", func(t *testing.T) {
		p := fresh()
		p.deadline = 2000 * ms
		expect(t, p, 1500*ms, nothing)
		p.deadline = 1400 * ms
		expect(t, p, 1500*ms, kill)
	})
	t.Run("warns before the deadline, once", func(t *testing.T) {
		p := fresh()
		p.warning = 200 * time.Millisecond
		if p.next() != 800*ms {
			t.Errorf("next is %d", p.next())
		}
		expect(t, p, 800*ms, ask)
		expect(t, p, 801*ms, nothing)
		p.deadline = 5000 * ms // too late: it was asked to stop
		expect(t, p, 999*ms, nothing)
		expect(t, p, 1000*ms, kill)
	})
	t.Run("is hopeless an allowance after the kill was due", func(t *testing.T) {
		p := fresh()
		if at := p.hopeless(50 * time.Millisecond); at != 1050*ms {
			t.Errorf("hopeless at %d, want 1050 ms", at/ms)
		}
		p.end(Stopped, 500*ms)
		if at := p.hopeless(50 * time.Millisecond); at != 550*ms {
			t.Errorf("while stopping: hopeless at %d, want 550 ms", at/ms)
		}
		if at := p.hopeless(0); at != 0 {
			t.Errorf("without an allowance: hopeless at %d, want never", at)
		}
		p = &plan{deadline: never}
		if at := p.hopeless(50 * time.Millisecond); at != 0 {
			t.Errorf("without a deadline: hopeless at %d, want never", at)
		}
	})
	t.Run("a stop asks first and kills in time", func(t *testing.T) {
		p := fresh()
		p.end(Stopped, 500*ms)
		expect(t, p, 100*ms, ask)
		expect(t, p, 101*ms, nothing)
		if p.next() != 500*ms {
			t.Errorf("next is %d", p.next())
		}
		expect(t, p, 500*ms, kill)
	})
	t.Run("the deadline cuts a stop short", func(t *testing.T) {
		p := fresh()
		p.end(Stopped, 5000*ms)
		expect(t, p, 100*ms, ask)
		expect(t, p, 1000*ms, kill)
		if p.cause != Stopped {
			t.Errorf("cause is %q", p.cause)
		}
	})
	t.Run("a second stop can only hurry", func(t *testing.T) {
		p := fresh()
		p.end(Stopped, 500*ms)
		p.end(Orphaned, 900*ms)
		expect(t, p, 100*ms, ask)
		expect(t, p, 499*ms, nothing)
		expect(t, p, 500*ms, kill)
	})
	t.Run("a stop without time kills at once", func(t *testing.T) {
		p := fresh()
		p.end(Stopped, 0)
		expect(t, p, 100*ms, kill)
	})
}

func expect(t *testing.T, p *plan, now int64, want step) {
	t.Helper()
	names := map[step]string{nothing: "nothing", ask: "ask", kill: "kill"}
	if got := p.due(boottime.Instant(now)); got != want {
		t.Errorf("at %v: %s, want %s", time.Duration(now), names[got], names[want])
	}
}
