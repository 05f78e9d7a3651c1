package supervise_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// stalls watches how late the machine lets a thread run that is as urgent as a
// watchdog's, on the worst of its processors. What is returned tells of the time
// since the last call.
func stalls(t *testing.T) (worst func() time.Duration) {
	t.Helper()
	var latest atomic.Int64
	var over atomic.Bool
	var watching []chan struct{}
	for cpu := range runtime.NumCPU() {
		done := make(chan struct{})
		watching = append(watching, done)
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocked: the thread ends with this
			var only unix.CPUSet
			only.Set(cpu)
			_ = unix.SchedSetaffinity(0, &only) // it may not be one of ours
			_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20)
			const pause = time.Millisecond
			for !over.Load() {
				due := boottime.In(pause)
				_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(pause)}, nil)
				late := int64(boottime.Now().Sub(due))
				for seen := latest.Load(); late > seen && !latest.CompareAndSwap(seen, late); seen = latest.Load() {
				}
			}
		}()
	}
	t.Cleanup(func() {
		over.Store(true)
		for _, done := range watching {
			<-done
		}
	})
	return func() time.Duration { return time.Duration(latest.Swap(0)) }
}
