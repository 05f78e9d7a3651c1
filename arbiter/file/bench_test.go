package file

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// benchDir returns an arbiter on a new directory.
func benchDir(b *testing.B) *Arbiter {
	b.Helper()
	a, err := New(context.Background(), Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Close() })
	return a
}

// reportPercentiles reports how long operations took, in microseconds.
func reportPercentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, percent := range []int{50, 90, 99} {
		at := took[(len(took)*percent+99)/100-1]
		b.ReportMetric(float64(at.Microseconds()), fmt.Sprintf("p%d-µs", percent))
	}
}

func BenchmarkRead(b *testing.B) {
	a := benchDir(b)
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: key, Record: make([]byte, 1024)}); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := a.Read(context.Background(), key); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	reportPercentiles(b, took)
}

func BenchmarkSwap(b *testing.B) {
	a := benchDir(b)
	var took []time.Duration
	var v core.Version
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		var err error
		if v, err = a.CompareAndSwap(context.Background(), core.Swap{Key: key, Expected: v, Record: fmt.Appendf(nil, "%1024d", n)}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	reportPercentiles(b, took)
}

// BenchmarkContention lets 32 writers take one record from each other. One
// operation is one swap that was applied; what it took includes the writer's lost
// attempts.
func BenchmarkContention(b *testing.B) {
	a := benchDir(b)
	var (
		left, conflicts atomic.Int64
		mu              sync.Mutex
		took            []time.Duration
		writers         sync.WaitGroup
	)
	left.Store(int64(b.N))
	b.ResetTimer()
	for w := range 32 {
		writers.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				began := time.Now()
				for {
					now, err := a.Read(context.Background(), key)
					if err != nil {
						b.Error(err)
						return
					}
					_, err = a.CompareAndSwap(context.Background(), core.Swap{Key: key, Expected: now.Version, Record: fmt.Appendf(nil, "writer %d take %d", w, n)})
					if err == nil {
						break
					}
					if !errors.Is(err, core.ErrConflict) {
						b.Error(err)
						return
					}
					conflicts.Add(1)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	b.StopTimer()
	reportPercentiles(b, took)
	b.ReportMetric(float64(conflicts.Load())/float64(b.N), "conflicts/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "swaps/s")
}
