package main

import (
	"context"
	"os"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/postgres/pgtest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/handover"
	"github.com/electd/electd/plugins"
)

// The test binary is also the plugin: started again with this variable set, it
// is what main makes of it.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func launch(ctx context.Context, url string) (core.Arbiter, error) {
	h, err := plugins.Launch(ctx, plugins.Spec{Name: "postgres", Self: []string{}, Env: []string{asPlugin + "=1"}})
	if err != nil {
		return nil, err
	}
	if err := h.Configure(ctx, plugins.Values{"url": url}); err != nil {
		_ = h.Close()
		return nil, err
	}
	return h.Arbiter(), nil
}

func TestConformanceAsPlugin(t *testing.T) {
	server := pgtest.Start(t)
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, server.URL()) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			proxy := pgtest.NewProxy(t, server.Address)
			a, err := launch(ctx, pgtest.URL(proxy.Address))
			return a, proxy.Faults(), err
		},
	})
}

// Without heartbeats a follower hears of a release by the arbiter's watch.
func TestReleaseIsHeardOf(t *testing.T) {
	server := pgtest.Start(t)
	handover.Heard(t, func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, server.URL()) })
}

// BenchmarkRelease measures from a release to the next leader, through plugins.
func BenchmarkRelease(b *testing.B) {
	server := pgtest.Start(b)
	handover.Measure(b, func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, server.URL()) })
}
