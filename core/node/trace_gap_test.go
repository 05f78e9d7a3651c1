package node

import (
	"bytes"
	"testing"

	"github.com/electd/electd/core"
)

// TestTraceAfterAGap: what could not be written may have been a reload, so a
// trace goes on with configuration and state, and still replays.
func TestTraceAfterAGap(t *testing.T) {
	var file bytes.Buffer
	tracer := NewTracer(&file)
	c := core.Config{Election: "e", Node: "a", Identity: "id-a", Session: "a1", ArbiterLease: 10e9, HeartbeatInterval: 5e8, HeartbeatLease: 15e8, FenceMargin: 5e8, ArbiterTimeout: 2e9}
	s := core.New(core.Instant(1e9), core.Standing{Healthy: true, Priority: 1}, 0, false, 1)
	step := func(now core.Instant) {
		ev := core.Event{Kind: core.Ticked}
		actions := core.Step(&c, &s, now, ev, nil)
		tracer.step(&c, now, &ev, actions, &s)
	}
	tracer.begin(&c, &s)
	step(core.Instant(1e9))
	c.ArbiterLease, tracer.gap = 20e9, 1 // the reload's own line was lost
	step(core.Instant(2e9))
	step(core.Instant(3e9))
	tracer.Close()
	got, err := Replay(&file)
	if err != nil || got.Differs != "" || got.Gaps != 1 || got.Steps != 2 {
		t.Errorf("replayed %+v, %v; want one gap, two steps and no difference", got, err)
	}
}
