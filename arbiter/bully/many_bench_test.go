package bully

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// BenchmarkManyElections has many leaders renew every second, on three voters in
// one process and on one disk, within the deadline that a lease of three seconds
// gives.
func BenchmarkManyElections(b *testing.B) {
	for _, elections := range []int{100, 200, 400} {
		b.Run(fmt.Sprint(elections), func(b *testing.B) {
			nodes := benchCluster(b)
			r := renewals{end: time.Now().Add(10 * time.Second)}
			for b.Loop() {
				var all sync.WaitGroup
				for n := range elections {
					all.Go(func() {
						time.Sleep(time.Duration(n) * time.Second / time.Duration(elections))
						r.renew(nodes[string(rune('a'+n%3))], fmt.Sprintf("e%d/lease.json", n))
					})
				}
				all.Wait()
			}
			slices.Sort(r.took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(r.took[len(r.took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(r.took[len(r.took)*99/100].Microseconds())/1000, "ms-p99")
			b.ReportMetric(100*float64(r.failed)/float64(len(r.took)), "%failed")
		})
	}
}

// renewals counts those of all elections.
type renewals struct {
	end time.Time

	mu     sync.Mutex
	took   []time.Duration
	failed int
}

func (r *renewals) renew(node *Arbiter, key string) {
	var version core.Version
	for n := 0; time.Now().Before(r.end); n++ {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 750*time.Millisecond)
		next, err := node.CompareAndSwap(ctx, core.Swap{Key: key, Expected: version, Record: fmt.Appendf(nil, "%d %0600d", n, 0), Intent: core.Renew})
		cancel()
		r.mu.Lock()
		r.took = append(r.took, time.Since(begun))
		if err != nil {
			r.failed++
		}
		r.mu.Unlock()
		if err == nil {
			version = next
		} else if s, err := node.Read(context.Background(), key); err == nil {
			version = s.Version
		}
		time.Sleep(time.Until(begun.Add(time.Second)))
	}
}
