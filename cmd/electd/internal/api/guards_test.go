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

// waits has a release wait for guards.
func waits(t *testing.T, s *Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return s.AwaitGuards(ctx, "orders")
}

func TestAReleaseWaitsForGuards(t *testing.T) {
	s := serve(t, nil).Server
	f := newFake()
	began := time.Now()
	if err := waits(t, s, time.Minute); err != nil || time.Since(began) > 10*time.Second {
		t.Errorf("without guards: %s, %v", time.Since(began), err)
	}
	began = time.Now()
	f.set(func(f *fake) { f.status.ValidForMS = 300 })
	s.guards.extend("orders", "g1", f)
	s.guards.extend("invoices", "g1", f)
	if err := waits(t, s, time.Minute); err != nil || time.Since(began) < 300*time.Millisecond {
		t.Errorf("with a guard that is never dismissed: %s, %v, want 300 ms", time.Since(began), err)
	}
	f.set(func(f *fake) { f.status.ValidForMS = 60000 })
	s.guards.extend("orders", "g1", f)
	if err := waits(t, s, 20*time.Millisecond); err == nil {
		t.Error("a guard that is open still was not waited for")
	}
	time.AfterFunc(50*time.Millisecond, func() { s.guards.dismiss("orders", "g1") })
	if err := waits(t, s, 30*time.Second); err != nil {
		t.Errorf("with a guard that is dismissed: %v", err)
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
