package plugins_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/electd/electd/core"
)

// heap is what is in use after all that is garbage is gone.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A follower in arbiter-only mode watches anew again and again for as long as the
// plugin lives: nothing of a watch that has ended may be kept until then.
func TestWatchesThatEndLeaveNothing(t *testing.T) {
	w := launchMemory(t, nil).Arbiter().(core.Watcher)
	watch := func(times int) {
		for range times {
			ctx, cancel := context.WithCancel(t.Context())
			changes, err := w.Watch(ctx, "k")
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			for range changes {
			}
		}
	}
	const times = 1500
	watch(200)
	before := heap()
	watch(times)
	if now := heap(); now > before+times*100 {
		t.Errorf("each of %d watches has left %d bytes", times, (now-before)/times)
	}
}
