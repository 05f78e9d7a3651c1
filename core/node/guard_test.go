package node_test

import (
	"bytes"
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// alone starts one node without peers and waits until it leads.
func alone(t testing.TB, store *arbiter.Store, trace *node.Tracer) *node.Node {
	n, err := node.Start(node.Config{
		Core: core.Config{
			Election: "solo", Node: "a", Identity: "id-a", Session: "s1",
			ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
		},
		Standing: core.Standing{Healthy: true, Priority: 1},
		Arbiter:  store.Client("a"), Disk: &disk{}, Clock: node.ClockFromTime(), Trace: trace,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := n.Guard().Check(); err == nil {
			return n
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("does not lead: %+v", n.Status())
	return nil
}

func TestGuardShutsByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		n := alone(t, store, nil)
		defer n.Abandon()
		store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		opened := time.Now()
		for {
			if _, err := n.Guard().Check(); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if open := time.Since(opened); open < 5*time.Second || open > 8500*time.Millisecond {
			t.Errorf("without a store the guard stayed open for %s, want at most lease less margin: 8.5 s", open)
		}
	})
}

func TestConfirmNeedsAYoungWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		n := alone(t, store, nil)
		defer n.Abandon()
		time.Sleep(2500 * time.Millisecond)
		before := store.Counts().Writes
		epoch, err := n.Guard().Confirm(t.Context(), time.Second)
		if err != nil || epoch != 1 {
			t.Fatalf("Confirm: epoch %d, %v", epoch, err)
		}
		if wrote := store.Counts().Writes - before; wrote != 1 {
			t.Errorf("confirming an old holding took %d writes, want 1", wrote)
		}
		store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		time.Sleep(1500 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := n.Guard().Confirm(ctx, time.Second); !errors.Is(err, node.ErrNotConfirmed) {
			t.Errorf("Confirm while the store is silent: %v, want ErrNotConfirmed", err)
		}
	})
}

func TestDoRefusesSuccessAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		n := alone(t, store, nil)
		defer n.Abandon()
		store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		err := n.Guard().Do(func(core.Epoch) error {
			time.Sleep(10 * time.Second)
			return nil
		})
		if !errors.Is(err, node.ErrNotLeading) {
			t.Errorf("an act that outlasted the authority: %v, want ErrNotLeading", err)
		}
	})
}

func TestReplayRepeatsATraceAndSeesAChange(t *testing.T) {
	var trace bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		tracer := node.NewTracer(&trace)
		n := alone(t, arbiter.NewStore(), tracer)
		time.Sleep(20 * time.Second)
		if err := n.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		tracer.Close()
	})
	got, err := node.Replay(bytes.NewReader(trace.Bytes()))
	if err != nil || got.Differs != "" || got.Steps < 10 || got.Phase != core.NoLease {
		t.Fatalf("replay: %+v, %v", got, err)
	}
	changed := bytes.Replace(trace.Bytes(), []byte(`"Outcome":1`), []byte(`"Outcome":2`), 1)
	got, err = node.Replay(bytes.NewReader(changed))
	if err != nil || got.Differs == "" {
		t.Errorf("a trace with another outcome replays as if nothing were: %+v, %v", got, err)
	}
}

// BenchmarkGuardCheck also counts the processor's time alone, which on a machine
// with other work is what one check costs.
func BenchmarkGuardCheck(b *testing.B) {
	n := alone(b, arbiter.NewStore(), nil)
	defer n.Abandon()
	guard := n.Guard()
	b.ReportAllocs()
	before := spent(b)
	for b.Loop() {
		guard.Check()
	}
	b.ReportMetric(float64(spent(b)-before)/float64(b.N), "cpu-ns/op")
}

// spent is the processor time of this process so far.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
