package node

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

// nowhere is a disk that keeps nothing.
type nowhere struct{}

func (nowhere) SaveFloor(core.Epoch) error { return nil }

// stoppable is a service that says when it is stopped.
type stoppable struct {
	Bare
	fenced chan core.Epoch
}

func (s stoppable) Fence(epoch core.Epoch, _ core.Instant, done func(bool)) {
	s.fenced <- epoch
	done(true)
}

// mourner hears that an election is broken.
type mourner struct {
	Unobserved
	violation error
	dump      []byte
	shut      bool
}

func (m *mourner) Broken(violation error, dump []byte) { m.violation, m.dump = violation, dump }
func (m *mourner) Guarded(_ core.Instant, epoch core.Epoch, _ core.Instant) {
	m.shut = epoch == 0
}

// lead starts an election without peers and waits until it leads.
func lead(t *testing.T, store *arbiter.Store, election string, service Service, observer Observer) *Node {
	t.Helper()
	n, err := Start(Config{
		Core: core.Config{
			Election: election, Node: "a", Identity: "id-a", Session: "s1",
			ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
		},
		Standing: core.Standing{Healthy: true, Priority: 1},
		Arbiter:  store.Client("a"), Disk: nowhere{}, Service: service, Observer: observer, Clock: ClockFromTime(),
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if _, err := n.Guard().Check(); err != nil {
		t.Fatalf("%s does not lead: %+v", election, n.Status())
	}
	return n
}

// TestBrokenElection: where an invariant fails, the guard shuts at once, the
// service is stopped, everything is dumped, commands are refused, and other
// elections run on.
func TestBrokenElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		service, seen := stoppable{fenced: make(chan core.Epoch, 8)}, &mourner{}
		broken, other := lead(t, store, "broken", service, seen), lead(t, store, "other", nil, nil)
		defer other.Abandon()

		time.Sleep(100 * time.Millisecond) // away from the clock's own steps
		broken.mu.Lock()
		broken.state.Lead.Service = core.Passive // as no step leaves it
		broken.mu.Unlock()
		broken.Stand(core.Standing{Healthy: true, Priority: 2})
		synctest.Wait()

		var violation *core.Violation
		if !errors.As(seen.violation, &violation) || violation.Name != "I6" || !strings.Contains(seen.violation.Error(), `"broken"`) {
			t.Fatalf("told of %v, want the violation of I6", seen.violation)
		}
		if _, err := broken.Guard().Check(); !errors.Is(err, ErrNotLeading) || !seen.shut {
			t.Error("the guard of a broken election is open")
		}
		select {
		case epoch := <-service.fenced:
			if epoch != 1 {
				t.Errorf("fenced epoch %d, want 1", epoch)
			}
		default:
			t.Error("the service was not stopped")
		}
		if err := broken.StepDown(t.Context(), ""); !errors.As(err, &violation) {
			t.Errorf("a command to a broken election: %v", err)
		}
		if s := broken.Status(); s.Broken == nil || s.Leading {
			t.Errorf("status: %+v", s)
		}
		// The dump begins with configuration and state, and ends with the event.
		lines := bytes.Split(bytes.TrimSpace(seen.dump), []byte("\n"))
		if len(lines) < 5 || !bytes.Contains(lines[0], []byte(`"config"`)) || !bytes.Contains(lines[len(lines)-1], []byte(`"Priority":2`)) {
			t.Errorf("dump of %d lines:\n%s", len(lines), seen.dump)
		}

		time.Sleep(time.Minute)
		if _, err := other.Guard().Check(); err != nil {
			t.Errorf("the other election: %v", err)
		}
		if len(service.fenced) > 0 {
			t.Error("fenced twice")
		}
		// Stopping it does not wait for a release that cannot come.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := broken.Stop(ctx); err != nil {
			t.Errorf("stopping a broken election: %v", err)
		}
	})
}

// TestBrokenCommandsAreAnswered: a command that waits when the election breaks is
// answered.
func TestBrokenCommandsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		n := lead(t, store, "broken", nil, nil)
		defer n.Abandon()
		store.Plan(func(arbiter.Call) arbiter.Fate { return arbiter.Drop() })
		answered := make(chan error, 1)
		go func() { answered <- n.StepDown(context.Background(), "") }()
		n.mu.Lock()
		n.state.Lead.Service = core.Passive
		n.mu.Unlock()
		n.Stand(core.Standing{Healthy: true, Priority: 2})
		select {
		case err := <-answered:
			if err == nil {
				t.Error("a broken election stepped down")
			}
		case <-time.After(time.Minute):
			t.Error("a command to an election that broke was never answered")
			n.Abandon()
			<-answered
		}
	})
}
