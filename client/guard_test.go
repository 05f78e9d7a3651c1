package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/client/clienttest"
)

// guards opens a guard at every daemon, closed with the test.
func guards(t *testing.T, c *clienttest.Cluster) map[*clienttest.Daemon]*client.Guard {
	out := map[*clienttest.Daemon]*client.Guard{}
	for _, d := range c.Nodes {
		g := d.Client.Guard("orders")
		t.Cleanup(g.Close)
		out[d] = g
	}
	return out
}

// watch looks at all guards until stop is called, and then returns what it saw:
// the last time that d's was open, the first time that another one was, and
// whether two ever were at once.
type watched struct {
	lastOpen, firstOther time.Time
	overlap              bool
}

func watch(guards map[*clienttest.Daemon]*client.Guard, d *clienttest.Daemon) (stop func() watched) {
	var seen watched
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
			}
			_, shut := guards[d].Check()
			others := false
			for other, g := range guards {
				if _, err := g.Check(); other != d && err == nil {
					others = true
				}
			}
			// Looked at again last: open before and after means open in between.
			_, still := guards[d].Check()
			now := time.Now()
			if shut == nil {
				seen.lastOpen = now
			}
			if others && seen.firstOther.IsZero() {
				seen.firstOther = now
			}
			seen.overlap = seen.overlap || others && still == nil
			time.Sleep(200 * time.Microsecond)
		}
	}()
	return func() watched {
		close(over)
		<-ended
		return seen
	}
}

// deposed is how a program's context ended.
type deposed struct {
	at    time.Time
	cause error
}

// runUntilDeposed runs a program while the guard is open, once.
func runUntilDeposed(t *testing.T, g *client.Guard) <-chan deposed {
	ended := make(chan deposed, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		g.RunWhileLeading(ctx, func(ctx context.Context, _ uint64) error {
			<-ctx.Done()
			ended <- deposed{time.Now(), context.Cause(ctx)}
			cancel()
			return nil
		})
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return ended
}

func awaitOpen(t *testing.T, c *clienttest.Cluster, guards map[*clienttest.Daemon]*client.Guard, not *clienttest.Daemon) *clienttest.Daemon {
	t.Helper()
	return c.Await("an open guard", func() *clienttest.Daemon {
		for d, g := range guards {
			if _, err := g.Check(); err == nil && d != not {
				return d
			}
		}
		return nil
	})
}

// authority is how long a leader of these clusters may act at most after its
// last sign of life: the heartbeat lease less the margin.
const authority = 1380 * time.Millisecond

// busy is how late anything may be on a machine that has much else to do.
const busy = 500 * time.Millisecond

func TestGuardShutsByItsOwnClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		strike func(*clienttest.Daemon)
	}{
		{"frozen daemon", (*clienttest.Daemon).Freeze},
		{"killed daemon", (*clienttest.Daemon).Kill},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cluster := clienttest.Start(t, clienttest.Options{})
			leader := cluster.Settled("orders")
			all := guards(t, cluster)
			if open := awaitOpen(t, cluster, all, nil); open != leader {
				t.Fatalf("the guard of %s is open, but %s leads", open.Name, leader.Name)
			}
			before, _ := all[leader].Check()
			ended := runUntilDeposed(t, all[leader])
			stop := watch(all, leader)
			struck := time.Now()
			c.strike(leader)
			next := awaitOpen(t, cluster, all, leader)
			after, _ := all[next].Check()
			seen := stop()
			if seen.overlap {
				t.Error("two guards were open at once")
			}
			if end := <-ended; !errors.Is(end.cause, client.ErrNotLeading) {
				t.Errorf("the program's context ended with cause %v, want ErrNotLeading", end.cause)
			} else if late := end.at.Sub(struck); late > authority+busy {
				t.Errorf("the program's context ended %s after the strike, want at most %s: before the margin", late, authority)
			} else if late < 0 || !seen.firstOther.IsZero() && end.at.After(seen.firstOther.Add(busy)) { // it is told of a moment after the fact
				t.Errorf("the program's context ended %s after the strike, the other guard opened %s after it", late, seen.firstOther.Sub(struck))
			}
			if open := seen.lastOpen.Sub(struck); open > authority+busy {
				t.Errorf("the guard stayed open for %s, want at most %s", open, authority)
			}
			if after != before+1 {
				t.Errorf("the next guard opened at epoch %d, want %d", after, before+1)
			}
			t.Logf("shut %s after the strike, the other opened %s later", seen.lastOpen.Sub(struck), seen.firstOther.Sub(seen.lastOpen))
			if c.name == "frozen daemon" {
				leader.Thaw()
				time.Sleep(50 * time.Millisecond)
				if _, err := all[leader].Check(); err == nil {
					t.Error("the guard of a daemon that thawed is open, though another one leads")
				}
			}
		})
	}
}

// TestReleaseWaitsForPrograms: a leader that steps down lets what acts on its
// word end before the next one may begin.
func TestReleaseWaitsForPrograms(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{})
	leader := cluster.Settled("orders")
	all := guards(t, cluster)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough seen")
	var acting atomic.Int32
	type run struct {
		node       string
		epoch      uint64
		begin, end time.Time
		cause      error
	}
	runs := make(chan run, 16)
	ended := make(chan error, len(all))
	for d, g := range all {
		go func() {
			ended <- g.RunWhileLeading(ctx, func(ctx context.Context, epoch uint64) error {
				if n := acting.Add(1); n != 1 {
					t.Errorf("%d programs act at once", n)
				}
				r := run{node: d.Name, epoch: epoch, begin: time.Now()}
				<-ctx.Done()
				time.Sleep(100 * time.Millisecond) // it needs a while to end
				r.end, r.cause = time.Now(), context.Cause(ctx)
				acting.Add(-1)
				runs <- r
				return nil
			})
		}()
	}
	for range 3 {
		d := leader
		cluster.Await("the program to run at the leader", func() *clienttest.Daemon {
			if _, err := all[d].Check(); err != nil || acting.Load() != 1 {
				return nil
			}
			return d
		})
		asked := time.Now()
		if done, err := d.Client.StepDown(t.Context(), "orders", ""); err != nil || done.Outcome != client.OutcomeDone {
			t.Fatalf("step-down: %+v, %v", done, err)
		}
		r := <-runs
		if r.node != d.Name || !errors.Is(r.cause, client.ErrNotLeading) {
			t.Errorf("the run at %s ended with cause %v, want ErrNotLeading at %s", r.node, r.cause, d.Name)
		}
		t.Logf("epoch %d at %s: %s; ended %s after the request", r.epoch, r.node, r.cause, r.end.Sub(asked))
		if strings.Contains(r.cause.Error(), "did not confirm it in time") {
			t.Errorf("the program was not told but saw it by the clock, %s after the request: %v", r.end.Sub(asked), r.cause)
		}
		leader = cluster.Settled("orders")
		if leader == d {
			t.Fatalf("%s leads again at once", d.Name)
		}
	}
	cancel(enough)
	for range all {
		if err := <-ended; !errors.Is(err, enough) {
			t.Errorf("RunWhileLeading returned %v, want the cause of its context's end", err)
		}
	}
}

func TestRunWhileLeadingReturnsWhatTheProgramReturns(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	g := cluster.Nodes[0].Client.Guard("orders")
	defer g.Close()
	broken := errors.New("the disk is full")
	for _, want := range []error{broken, nil} {
		got := g.RunWhileLeading(t.Context(), func(_ context.Context, epoch uint64) error {
			if epoch != 1 {
				t.Errorf("epoch %d, want 1", epoch)
			}
			return want
		})
		if got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if err := g.Do(func(epoch uint64) error { return fmt.Errorf("at epoch %d: %w", epoch, broken) }); !errors.Is(err, broken) {
		t.Errorf("Do returned %v, want what its function returned", err)
	}
}

func TestGuardWithoutADaemon(t *testing.T) {
	t.Parallel()
	c, err := client.New(t.TempDir()+"/nobody.sock", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	g := c.Guard("orders")
	defer g.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := g.RunWhileLeading(ctx, func(context.Context, uint64) error { return errors.New("ran") }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a daemon: %v", err)
	}
	if err := g.Do(func(uint64) error { return errors.New("ran") }); !errors.Is(err, client.ErrNotLeading) {
		t.Errorf("without a daemon: %v, want ErrNotLeading", err)
	}
	t.Log(g.Why())
}

func TestCheckAllocatesNothing(t *testing.T) {
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	all := guards(t, cluster)
	g := all[awaitOpen(t, cluster, all, nil)]
	if n := testing.AllocsPerRun(1000, func() { g.Check() }); n != 0 {
		t.Errorf("%v allocations a check, want none", n)
	}
}

func BenchmarkGuardCheck(b *testing.B) {
	cluster := clienttest.Start(b, clienttest.Options{Nodes: []string{"db-a"}})
	g := cluster.Nodes[0].Client.Guard("orders")
	defer g.Close()
	for _, err := g.Check(); err != nil; _, err = g.Check() {
		time.Sleep(time.Millisecond)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Check()
	}
}
