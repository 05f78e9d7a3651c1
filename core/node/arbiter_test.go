package node_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// rude is an arbiter that does not keep to the rules.
type rude struct {
	core.Arbiter
	read func(context.Context, string) (core.Snapshot, error)
	swap func(context.Context, core.Swap) (core.Version, error)
}

func (r rude) Read(ctx context.Context, key string) (core.Snapshot, error) {
	if r.read == nil {
		return r.Arbiter.Read(ctx, key)
	}
	return r.read(ctx, key)
}

func (r rude) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if r.swap == nil {
		return r.Arbiter.CompareAndSwap(ctx, swap)
	}
	return r.swap(ctx, swap)
}

// heard keeps what a node is answered by its arbiter.
type heard struct {
	node.Unobserved
	calls chan node.Call
}

func (h heard) Answered(c node.Call) {
	select {
	case h.calls <- c:
	default:
	}
}

// startRude starts a node without peers on an arbiter.
func startRude(t *testing.T, a core.Arbiter) (*node.Node, heard) {
	t.Helper()
	h := heard{calls: make(chan node.Call, 1000)}
	n, err := node.Start(node.Config{
		Core: core.Config{
			Election: "solo", Node: "a", Identity: "id-a", Session: "s1",
			ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
		},
		Standing: core.Standing{Healthy: true, Priority: 1},
		Arbiter:  a, Disk: &disk{}, Observer: h, Clock: node.ClockFromTime(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, h
}

// TestRudeArbiters: whatever an arbiter does, every call is answered by its
// deadline with what may have become of it, and the node goes on.
func TestRudeArbiters(t *testing.T) {
	never := make(chan struct{}) // made anew in every bubble
	tests := map[string]struct {
		arbiter func(good core.Arbiter) core.Arbiter
		outcome core.Outcome
		intent  core.Intent
		within  time.Duration
	}{
		"a read that never returns": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, read: func(context.Context, string) (core.Snapshot, error) {
					<-never
					return core.Snapshot{}, nil
				}}
			}, core.Unavailable, 0, 1100 * time.Millisecond,
		},
		"a write that never returns": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, swap: func(context.Context, core.Swap) (core.Version, error) {
					<-never
					return "", nil
				}}
			}, core.Unknown, core.Take, 1100 * time.Millisecond,
		},
		"a read that panics": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, read: func(context.Context, string) (core.Snapshot, error) { panic("a bug") }}
			}, core.Unavailable, 0, 0,
		},
		"a write that panics after the store has acted": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
					good.CompareAndSwap(ctx, s)
					panic("a bug")
				}}
			}, core.Unknown, core.Take, 0,
		},
		"a write that is accepted without a version": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, swap: func(context.Context, core.Swap) (core.Version, error) { return "", nil }}
			}, core.Unknown, core.Take, 0,
		},
		"an error without a code": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, swap: func(context.Context, core.Swap) (core.Version, error) { return "v", errors.New("what?") }}
			}, core.Unknown, core.Take, 0,
		},
		"a record that is no record": {
			func(good core.Arbiter) core.Arbiter {
				return rude{Arbiter: good, read: func(context.Context, string) (core.Snapshot, error) {
					return core.Snapshot{Version: "v", Record: []byte("{")}, nil
				}}
			}, core.Corrupt, 0, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never = make(chan struct{})
				defer close(never)
				n, h := startRude(t, test.arbiter(arbiter.NewStore().Client("a")))
				defer n.Abandon()
				for deadline := time.After(20 * time.Second); ; {
					select {
					case c := <-h.calls:
						if c.Intent != test.intent || (c.Outcome == core.Applied && test.outcome != core.Applied) {
							continue
						}
						if c.Outcome != test.outcome || c.Err == nil || c.Took > test.within {
							t.Errorf("answered %v, %v after %s, want %v within %s", c.Outcome, c.Err, c.Took, test.outcome, test.within)
						}
						if s := n.Status(); s.Broken != nil {
							t.Errorf("broken: %v", s.Broken)
						}
						return
					case <-deadline:
						t.Fatal("no answer")
					}
				}
			})
		})
	}
}

// TestAPanickingWriteIsFoundOut: it did apply, and the node learns that by
// reading, so that it leads all the same.
func TestAPanickingWriteIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := arbiter.NewStore().Client("a")
		first := true
		n, _ := startRude(t, rude{Arbiter: good, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
			v, err := good.CompareAndSwap(ctx, s)
			if first {
				first = false
				panic("a bug")
			}
			return v, err
		}})
		defer n.Abandon()
		time.Sleep(5 * time.Second)
		if epoch, err := n.Guard().Check(); err != nil || epoch != 1 {
			t.Errorf("epoch %d, %v; want to lead at 1: %+v", epoch, err, n.Status())
		}
	})
}

// TestStopDoesNotWaitForAHangingArbiter longer than its deadline.
func TestStopDoesNotWaitForAHangingArbiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		var hang atomic.Bool
		good := arbiter.NewStore().Client("a")
		n, _ := startRude(t, rude{Arbiter: good, swap: func(ctx context.Context, s core.Swap) (core.Version, error) {
			if hang.Load() {
				<-never
			}
			return good.CompareAndSwap(ctx, s)
		}})
		time.Sleep(2 * time.Second)
		hang.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		asked := time.Now()
		err := n.Stop(ctx)
		if took := time.Since(asked); !errors.Is(err, context.DeadlineExceeded) || took > 3100*time.Millisecond {
			t.Errorf("Stop: %v after %s, want the deadline's error after 3 s", err, took)
		}
		if _, err := n.Guard().Check(); !errors.Is(err, node.ErrNotLeading) {
			t.Error("the guard of a stopped node is open")
		}
	})
}
