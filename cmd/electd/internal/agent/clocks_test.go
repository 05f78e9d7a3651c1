package agent

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
)

type logText struct{ strings.Builder }

func heartbeat(ahead time.Duration) *core.Message {
	return &core.Message{Kind: core.Heartbeat, Node: "db-b", WallClock: time.Now().Add(ahead).UnixNano()}
}

// A clock that is off for a while is told once, and once that it agrees again; a
// burst of late messages is not a clock.
func TestClockThatIsOffIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logText
		c := newClockCheck(newClocks(hclog.New(&hclog.LoggerOptions{Output: &log})), "warn")
		for range 50 { // what waited while this process was stopped
			c.Offset("db-b", -5*time.Second, 500*time.Millisecond)
		}
		c.Offset("db-b", 0, time.Millisecond)
		if log.Len() > 0 {
			t.Errorf("late messages were taken for a wrong clock: %s", log.String())
		}
		for range 50 {
			c.Offset("db-b", 3*time.Second, time.Millisecond)
			time.Sleep(500 * time.Millisecond)
		}
		if n := strings.Count(log.String(), "differs"); n != 1 || !strings.Contains(log.String(), "ahead=3s") {
			t.Errorf("a clock 3 s ahead was told %d times:\n%s", n, log.String())
		}
		c.Offset("db-b", 200*time.Millisecond, time.Millisecond)
		if !strings.Contains(log.String(), "agrees again") {
			t.Errorf("it was not told that the clock agrees again:\n%s", log.String())
		}
	})
}

// Only "fence" refuses heartbeats, only by a wrong clock, and takes them again
// once it is right.
func TestHeartbeatsRefusedByTheirClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newClocks(hclog.NewNullLogger())
		off, warn, fence := newClockCheck(shared, "off"), newClockCheck(shared, "warn"), newClockCheck(shared, "fence")
		for range 20 {
			off.Offset("db-b", time.Minute, 0)
			time.Sleep(time.Second)
		}
		if fence.refuses(heartbeat(time.Minute)) {
			t.Error("refused though nobody who looks has looked")
		}
		for range 20 {
			warn.Offset("db-b", time.Minute, 0)
			time.Sleep(time.Second)
		}
		if warn.refuses(heartbeat(time.Minute)) || off.refuses(heartbeat(time.Minute)) {
			t.Error("refused without being asked to")
		}
		if !fence.refuses(heartbeat(time.Minute)) {
			t.Error("a heartbeat of a clock a minute ahead was taken")
		}
		if ack := heartbeat(time.Minute); fence.refuses(&core.Message{Kind: core.Ack, Node: "db-b", WallClock: ack.WallClock}) {
			t.Error("something else than a heartbeat was refused")
		}
		if why := fence.explain("db-b"); !strings.Contains(why, "1m0s ahead") {
			t.Errorf("the status says %q", why)
		}
		if fence.refuses(heartbeat(0)) {
			t.Error("refused though the clock is right again")
		}
	})
}
