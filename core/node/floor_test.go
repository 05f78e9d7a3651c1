package node_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestPairOutlivesADiskThatHangs: who took and cannot save its epoch gives the lease
// back, leads when the disk answers again, and can be stopped meanwhile.
func TestPairOutlivesADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		ill := c.other(leader)
		hangs := make(chan struct{})
		c.disks[ill].hangs = hangs
		if err := c.nodes[leader].StepDown(t.Context(), ill); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		next, _ := c.leader(20 * time.Second)
		if took := time.Since(start); next != leader || took < 9*time.Second || took > 15*time.Second {
			t.Errorf("%s leads %s after it stepped down, want %s after ten seconds", next, took, leader)
		}
		time.Sleep(time.Minute) // of attempts to save, all on the first of them
		close(hangs)
		time.Sleep(10 * time.Second)
		c.disks[ill].mu.Lock()
		floor := c.disks[ill].floor
		c.disks[ill].mu.Unlock()
		if _, epoch := c.leader(0); floor != epoch {
			t.Errorf("when the disk answers again the floor is %d, at epoch %d", floor, epoch)
		}
		if err := c.nodes[leader].StepDown(t.Context(), ill); err != nil {
			t.Fatal(err)
		}
		if next, _ := c.leader(time.Second); next != ill {
			t.Errorf("%s leads, want %s", next, ill)
		}
	})
}

// TestStopDoesNotWaitForADiskThatHangs: an election ends though its floor does not
// get on disk.
func TestStopDoesNotWaitForADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, "a", "b")
		leader, _ := c.leader(5 * time.Second)
		time.Sleep(5 * time.Second)
		ill := c.other(leader)
		hangs := make(chan struct{})
		defer close(hangs)
		c.disks[ill].hangs = hangs
		if err := c.nodes[leader].StepDown(t.Context(), ill); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.nodes[ill].Stop(ctx); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("it took %s to stop", took)
		}
	})
}
