package hardware_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
)

// An electd that goes on after a freeze begins a fence that has to be over
// already, and finds its program dead, killed in time by the watchdog process.
func TestAFenceFoundOverAfterAFreezeIsNoOverrun(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*hardware.Dog){
		"begun after the freeze": func(d *hardware.Dog) { d.FenceBegins(boottime.Now()) },
		"of several elections": func(d *hardware.Dog) {
			d.FenceBegins(boottime.In(-4 * time.Second))
			time.Sleep(20 * time.Millisecond)
			d.FenceBegins(0) // the first has been told
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var acted atomic.Int32
			d, _, out := dog(t, func(g *hardware.Config) {
				g.OnOverrun = hardware.Exit
				g.Kill = func() { acted.Add(1) }
				g.Exit = func() { acted.Add(1) }
			})
			defer d.Close()
			if err := d.Arm(t.Context(), boottime.In(1500*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			begin(d)
			time.Sleep(50 * time.Millisecond)
			d.FenceOver()
			time.Sleep(700 * time.Millisecond)
			if acted.Load() != 0 || strings.Contains(out.String(), "the fence is not over in time") {
				t.Errorf("taken for an overrun:\n%s", out)
			}
		})
	}
}

// A fence that began before the freeze is looked at long after its end. Here it
// is an action that keeps the Dog from looking.
func TestAFenceBegunBeforeAFreezeIsNoOverrunIfItIsOver(t *testing.T) {
	t.Parallel()
	killing := make(chan struct{}, 2)
	d, _, out := dog(t, func(g *hardware.Config) {
		g.Kill = func() { killing <- struct{}{}; time.Sleep(300 * time.Millisecond) }
	})
	defer d.Close()
	d.FenceBegins(boottime.In(50 * time.Millisecond))
	<-killing
	d.FenceBegins(boottime.In(100 * time.Millisecond))
	time.Sleep(350 * time.Millisecond)
	d.FenceOver()
	time.Sleep(700 * time.Millisecond)
	if n := strings.Count(out.String(), "the fence is not over in time"); n != 1 {
		t.Errorf("%d overruns, want 1:\n%s", n, out)
	}
}

// What is not over after a freeze is an overrun all the same, and late by what
// it is late.
func TestAFenceThatIsNotOverAfterAFreezeIsAnOverrun(t *testing.T) {
	t.Parallel()
	killed := make(chan struct{}, 1)
	d, _, out := dog(t, func(g *hardware.Config) { g.Kill = func() { killed <- struct{}{} } })
	defer d.Close()
	d.FenceBegins(boottime.In(-4 * time.Second))
	time.Sleep(20 * time.Millisecond)
	d.FenceBegins(0) // another election's news do not make it forgotten
	select {
	case <-killed:
	case <-time.After(10 * time.Second):
		t.Fatal("no overrun")
	}
	_, text, _ := strings.Cut(out.String(), "late=")
	text, _, _ = strings.Cut(text, " ")
	if late, err := time.ParseDuration(strings.TrimSpace(text)); err != nil || late < 4*time.Second || late > 20*time.Second {
		t.Errorf("late %q, want 4 s and a bit:\n%s", text, out)
	}
}
