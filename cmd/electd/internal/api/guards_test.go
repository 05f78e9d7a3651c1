package api

import (
	"context"
	"testing"
	"time"
)

func TestAPermitCountsOnlyWhileTheNodeLeads(t *testing.T) {
	var g guards
	f := newFake()
	if p, err := g.extend("orders", "g1", f); err != nil || p.Epoch != 7 || p.ValidForMS != 800 {
		t.Errorf("from a leader: %+v, %v", p, err)
	}
	for _, change := range []func(*fake){
		func(f *fake) { f.status.Leading = false },
		func(f *fake) { f.status.Leading, f.status.ValidForMS = true, 0 },
	} {
		f.set(change)
		if p, err := g.extend("orders", "g2", f); err != nil || p.Epoch != 0 || p.ValidForMS != 0 {
			t.Errorf("from %+v: %+v, %v, want no permit", f.status.Leading, p, err)
		}
	}
	if n := g.open(time.Now()); n != 1 {
		t.Errorf("%d guards are open, want 1", n)
	}
}

// waits returns how long a release waits for guards.
func waits(t *testing.T, s *Server, within time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	started := time.Now()
	err := s.AwaitGuards(ctx, "orders")
	return time.Since(started), err
}

func TestAReleaseWaitsForGuards(t *testing.T) {
	s := serve(t, nil).Server
	f := newFake()
	if took, err := waits(t, s, time.Second); err != nil || took > 100*time.Millisecond {
		t.Errorf("without guards: %s, %v", took, err)
	}
	f.set(func(f *fake) { f.status.ValidForMS = 300 })
	s.guards.extend("orders", "g1", f)
	s.guards.extend("invoices", "g1", f)
	if took, err := waits(t, s, 5*time.Second); err != nil || took < 250*time.Millisecond {
		t.Errorf("with a guard that is never dismissed: %s, %v, want about 300 ms", took, err)
	}
	f.set(func(f *fake) { f.status.ValidForMS = 60000 })
	s.guards.extend("orders", "g1", f)
	if _, err := waits(t, s, 20*time.Millisecond); err == nil {
		t.Error("a guard that is open still was not waited for")
	}
	time.AfterFunc(50*time.Millisecond, func() { s.guards.dismiss("orders", "g1") })
	if took, err := waits(t, s, 10*time.Second); err != nil || took > 5*time.Second {
		t.Errorf("with a guard that is dismissed: %s, %v", took, err)
	}
	s.guards.dismiss("orders", "g1") // a second time: nothing
}

func TestGuardsOfProgramsThatAreGoneMakeRoom(t *testing.T) {
	var g guards
	f := newFake()
	f.set(func(f *fake) { f.status.ValidForMS = 1 })
	for i := range 3 * maxGuards {
		if i%maxGuards == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		if _, err := g.extend("orders", time.Now().String(), f); err != nil {
			t.Fatalf("guard %d: %v", i, err)
		}
	}
}
