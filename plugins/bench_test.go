package plugins_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// constant is an arbiter that does nothing, so that what is measured is the
// boundary alone.
type constant struct{ record []byte }

func (c constant) Read(context.Context, string) (core.Snapshot, error) {
	return core.Snapshot{Version: "v", Record: c.record}, nil
}

func (c constant) CompareAndSwap(context.Context, core.Swap) (core.Version, error) {
	return "v", nil
}

func (c constant) Close() error { return nil }

type noConfig struct{}

var constantPlugin = plugins.Plugin[noConfig]{
	Name: "constant", Doc: "Does nothing, for benchmarks.",
	New: func(context.Context, noConfig) (core.Arbiter, error) {
		return constant{record: make([]byte, 600)}, nil
	},
}

func throughPlugin(b *testing.B, plaintext bool) core.Arbiter {
	h, err := plugins.Launch(b.Context(), plugins.Spec{
		Name: "constant", Self: []string{}, Env: []string{asPlugin + "=constant"}, Plaintext: plaintext,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close() })
	if err := h.Configure(b.Context(), plugins.Values{}); err != nil {
		b.Fatal(err)
	}
	return h.Arbiter()
}

// BenchmarkCall measures one call across the boundary: ns/op is the mean, and
// p50-ns and p99-ns say how it spreads. Allocations are the host's.
func BenchmarkCall(b *testing.B) {
	ways := []struct {
		name string
		open func(b *testing.B) core.Arbiter
	}{
		{"direct", func(b *testing.B) core.Arbiter {
			a, _, err := constantPlugin.Open(b.Context(), plugins.Values{})
			if err != nil {
				b.Fatal(err)
			}
			return a
		}},
		{"pipe", func(b *testing.B) core.Arbiter { return plugins.OverPipe(b, constantPlugin) }},
		{"plugin-plaintext", func(b *testing.B) core.Arbiter { return throughPlugin(b, true) }},
		{"plugin-tls", func(b *testing.B) core.Arbiter { return throughPlugin(b, false) }},
	}
	swap := core.Swap{Key: "orders/lease.json", Expected: "v", Record: make([]byte, 600), Intent: core.Renew}
	for _, way := range ways {
		b.Run(fmt.Sprintf("read/%s", way.name), func(b *testing.B) {
			a := way.open(b)
			measure(b, func(ctx context.Context) error { _, err := a.Read(ctx, swap.Key); return err })
		})
		b.Run(fmt.Sprintf("swap/%s", way.name), func(b *testing.B) {
			a := way.open(b)
			measure(b, func(ctx context.Context) error { _, err := a.CompareAndSwap(ctx, swap); return err })
		})
	}
}

func measure(b *testing.B, call func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	took := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		begun := time.Now()
		if err := call(ctx); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

// BenchmarkColdStart measures from nothing to a configured arbiter that has
// answered once.
func BenchmarkColdStart(b *testing.B) {
	for _, plaintext := range []bool{true, false} {
		b.Run(fmt.Sprintf("tls=%v", !plaintext), func(b *testing.B) {
			for b.Loop() {
				h, err := plugins.Launch(b.Context(), plugins.Spec{
					Name: "constant", Self: []string{}, Env: []string{asPlugin + "=constant"}, Plaintext: plaintext,
				})
				if err != nil {
					b.Fatal(err)
				}
				if err := h.Configure(b.Context(), plugins.Values{}); err != nil {
					b.Fatal(err)
				}
				if _, err := h.Arbiter().Read(b.Context(), "k"); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				_ = h.Close()
				b.StartTimer()
			}
		})
	}
}
