package s3_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func benchEveryStore(b *testing.B, bench func(b *testing.B, store servers.S3)) {
	for _, name := range slices.Sorted(maps.Keys(stores)) {
		b.Run(name, func(b *testing.B) { bench(b, stores[name](b)) })
	}
}

// sample collects durations and reports their percentiles in microseconds.
type sample struct {
	mu  sync.Mutex
	all []time.Duration
}

func (s *sample) since(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, time.Since(began))
}

func (s *sample) report(b *testing.B) {
	slices.Sort(s.all)
	for _, percent := range []int{50, 90, 99} {
		at := s.all[(len(s.all)*percent+99)/100-1]
		b.ReportMetric(float64(at.Microseconds()), fmt.Sprintf("p%d-µs", percent))
	}
}

func BenchmarkRead(b *testing.B) {
	benchEveryStore(b, func(b *testing.B, store servers.S3) {
		a := open(b, store)
		if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: make([]byte, 1024)}); err != nil {
			b.Fatal(err)
		}
		var took sample
		for b.Loop() {
			began := time.Now()
			if _, err := a.Read(context.Background(), "k"); err != nil {
				b.Fatal(err)
			}
			took.since(began)
		}
		took.report(b)
	})
}

func BenchmarkSwap(b *testing.B) {
	benchEveryStore(b, func(b *testing.B, store servers.S3) {
		a := open(b, store)
		var took sample
		var v core.Version
		n := 0
		for b.Loop() {
			n++
			began := time.Now()
			var err error
			if v, err = a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Expected: v, Record: fmt.Appendf(nil, "%1024d", n)}); err != nil {
				b.Fatal(err)
			}
			took.since(began)
		}
		took.report(b)
	})
}

// BenchmarkContention lets 32 writers take one key from each other. One
// operation is one swap that was applied; what it took includes the writer's
// lost attempts.
func BenchmarkContention(b *testing.B) {
	const writers = 32
	benchEveryStore(b, func(b *testing.B, store servers.S3) {
		arbiters := make([]*s3.Arbiter, 8)
		for i := range arbiters {
			arbiters[i] = open(b, store)
		}
		if _, err := arbiters[0].CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("first")}); err != nil {
			b.Fatal(err)
		}
		var (
			left, conflicts atomic.Int64
			took            sample
			wg              sync.WaitGroup
		)
		left.Store(int64(b.N))
		b.ResetTimer()
		for w := range writers {
			a := arbiters[w%len(arbiters)]
			wg.Go(func() {
				for n := 0; left.Add(-1) >= 0; n++ {
					began := time.Now()
					lost, err := takeOver(a, fmt.Appendf(nil, "writer %d take %d", w, n))
					if err != nil {
						b.Error(err)
						return
					}
					conflicts.Add(int64(lost))
					took.since(began)
				}
			})
		}
		wg.Wait()
		b.StopTimer()
		took.report(b)
		b.ReportMetric(float64(conflicts.Load())/float64(b.N), "conflicts/op")
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "swaps/s")
	})
}

// takeOver reads and swaps until a swap is applied; it counts the lost ones.
func takeOver(a *s3.Arbiter, record []byte) (lost int, err error) {
	for {
		now, err := a.Read(context.Background(), "k")
		if err != nil {
			return lost, err
		}
		_, err = a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Expected: now.Version, Record: record})
		if err == nil || !errors.Is(err, core.ErrConflict) {
			return lost, err
		}
		lost++
	}
}
