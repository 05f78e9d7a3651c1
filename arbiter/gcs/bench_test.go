package gcs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// benchEveryServer runs bench with clients of each server that write as often as
// they are told to.
func benchEveryServer(b *testing.B, clients int, bench func(b *testing.B, arbiters []*gcs.Arbiter)) {
	for name, start := range map[string]func(testing.TB) servers.GCS{
		"gcsemulator": servers.Gcsemulator, "fake-gcs-server": servers.FakeGCS,
	} {
		b.Run(name, func(b *testing.B) {
			server := start(b)
			arbiters := make([]*gcs.Arbiter, clients)
			for i := range arbiters {
				a, err := unpaced(context.Background(), server)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { _ = a.Close() })
				arbiters[i] = a
			}
			bench(b, arbiters)
		})
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
	benchEveryServer(b, 1, func(b *testing.B, arbiters []*gcs.Arbiter) {
		if _, err := arbiters[0].CompareAndSwap(context.Background(), core.Swap{Key: key, Record: make([]byte, 1024)}); err != nil && !errors.Is(err, core.ErrConflict) {
			b.Fatal(err)
		}
		var took sample
		for b.Loop() {
			began := time.Now()
			if _, err := arbiters[0].Read(context.Background(), key); err != nil {
				b.Fatal(err)
			}
			took.since(began)
		}
		took.report(b)
	})
}

func BenchmarkSwap(b *testing.B) {
	benchEveryServer(b, 1, func(b *testing.B, arbiters []*gcs.Arbiter) {
		var took sample
		var v core.Version
		for n := 0; b.Loop(); n++ {
			began := time.Now()
			var err error
			if v, err = arbiters[0].CompareAndSwap(context.Background(), core.Swap{Key: key, Expected: v, Record: fmt.Appendf(nil, "%1024d", n)}); err != nil {
				b.Fatal(err)
			}
			took.since(began)
		}
		took.report(b)
	})
}

// BenchmarkContention lets 32 writers take one record from each other. One
// operation is one swap that was applied; what it took includes the writer's lost
// attempts.
func BenchmarkContention(b *testing.B) {
	benchEveryServer(b, 8, func(b *testing.B, arbiters []*gcs.Arbiter) {
		var (
			left, conflicts atomic.Int64
			took            sample
			writers         sync.WaitGroup
		)
		left.Store(int64(b.N))
		b.ResetTimer()
		for w := range 32 {
			writers.Go(func() {
				for n := 0; left.Add(-1) >= 0; n++ {
					began := time.Now()
					lost, err := takeOver(arbiters[w%len(arbiters)], fmt.Appendf(nil, "writer %d take %d", w, n))
					if err != nil {
						b.Error(err)
						return
					}
					conflicts.Add(lost)
					took.since(began)
				}
			})
		}
		writers.Wait()
		b.StopTimer()
		took.report(b)
		b.ReportMetric(float64(conflicts.Load())/float64(b.N), "conflicts/op")
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "swaps/s")
	})
}

// takeOver reads and swaps until a swap is applied; it counts the lost ones.
func takeOver(a *gcs.Arbiter, record []byte) (lost int64, err error) {
	for {
		now, err := a.Read(context.Background(), key)
		if err != nil {
			return lost, err
		}
		_, err = a.CompareAndSwap(context.Background(), core.Swap{Key: key, Expected: now.Version, Record: record})
		if err == nil || !errors.Is(err, core.ErrConflict) {
			return lost, err
		}
		lost++
	}
}
