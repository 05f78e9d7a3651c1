package node_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	arbiter "github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// A node that waits is only memory: a thousand elections hold no goroutine, let
// alone a stack each.
func TestWaitingNodeHoldsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := arbiter.NewStore()
		before := runtime.NumGoroutine()
		var nodes []*node.Node
		for i := range 200 {
			n, err := node.Start(node.Config{
				Core: core.Config{
					Election: fmt.Sprintf("e%d", i), Node: "a", Identity: "id-a", Session: "s1",
					ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
					HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
				},
				Standing: core.Standing{Healthy: true, Priority: 1},
				Arbiter:  unwatched{store.Client("a")}, Disk: &disk{}, Clock: node.ClockFromTime(),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer n.Abandon()
			nodes = append(nodes, n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for _, n := range nodes {
			if _, err := n.Guard().Check(); err != nil {
				t.Fatalf("%+v", n.Status())
			}
		}
		if more := runtime.NumGoroutine() - before; more > 10 {
			t.Errorf("200 nodes that wait hold %d goroutines", more)
		}
	})
}

// unwatched is an arbiter without a watch, as most are.
type unwatched struct{ core.Arbiter }

// Whatever is put while a turn ends is handled: none of many puts is forgotten.
func TestNoEventIsLeftBehind(t *testing.T) {
	store := arbiter.NewStore()
	n := alone(t, store, nil)
	defer n.Abandon()
	for i := range 20_000 {
		n.Stand(core.Standing{Healthy: true, Priority: 2 + i%2})
		if i%100 != 0 {
			continue
		}
		want := 2 + i%2
		for deadline := time.Now().Add(10 * time.Second); n.Status().Standing.Priority != want; {
			if time.Now().After(deadline) {
				t.Fatalf("put %d is not handled: %+v", i, n.Status().Standing)
			}
			runtime.Gosched()
		}
	}
}
