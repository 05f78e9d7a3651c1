package supervise

import (
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

func TestRestartPolicy(t *testing.T) {
	failed, fine := watchdog.Status{Code: 1}, watchdog.Status{}
	killed := watchdog.Status{Signal: 9}
	for _, c := range []struct {
		when   When
		status watchdog.Status
		want   bool
	}{
		{"", failed, false}, {Never, failed, false}, {Never, fine, false},
		{OnFailure, failed, true}, {OnFailure, killed, true}, {OnFailure, fine, false},
		{Always, failed, true}, {Always, fine, true},
	} {
		var a attempts
		if _, got := a.next(Restart{When: c.when}.withDefaults(), c.status, 0); got != c.want {
			t.Errorf("restart %q after %s: %t, want %t", c.when, c.status, got, c.want)
		}
	}
}

func TestRestartDelays(t *testing.T) {
	r := Restart{When: Always, Delay: time.Second, Most: 5 * time.Second, Limit: 5, Steady: time.Minute}
	var a attempts
	for i, want := range []time.Duration{1, 2, 4, 5, 5} {
		if got, ok := a.next(r, watchdog.Status{}, time.Second); !ok || got != want*time.Second {
			t.Errorf("restart %d: %v %t, want %v s", i+1, got, ok, int(want))
		}
	}
	if _, ok := a.next(r, watchdog.Status{}, 59*time.Second); ok {
		t.Error("a sixth restart in a row")
	}
	if got, ok := a.next(r, watchdog.Status{}, time.Minute); !ok || got != time.Second {
		t.Errorf("after a steady run: %v %t, want a first restart", got, ok)
	}
	r.Limit = 100
	a = 80 // shifts everything out
	if got, _ := a.next(r, watchdog.Status{}, 0); got != r.Most {
		t.Errorf("restart 81 waits %v", got)
	}
}
