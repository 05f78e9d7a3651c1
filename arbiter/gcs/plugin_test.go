package gcs_test

import (
	"context"
	"os"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
	"github.com/electd/electd/plugins"
)

// launch opens the arbiter in a process of its own.
func launch(ctx context.Context, server servers.GCS) (core.Arbiter, error) {
	host, err := plugins.Launch(ctx, plugins.Spec{Name: "gcs", Self: []string{}, Env: []string{asPlugin + "=1"}})
	if err != nil {
		return nil, err
	}
	if err := host.Configure(ctx, plugins.Values{"bucket": server.Bucket, "endpoint": server.Endpoint, "prefix": "kit"}); err != nil {
		_ = host.Close()
		return nil, err
	}
	return host.Arbiter(), nil
}

// The same arbiter behaves the same across the process boundary, at the pace that
// Google bears: a write a second to each object.
func TestConformanceAsPlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starts a process for every client of the kit")
	}
	onEveryServer(t, func(t *testing.T, server servers.GCS) {
		h := arbitertest.Harness{
			Open: func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, server) },
			OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
				proxy := faultproxy.New(t, server.Endpoint)
				behind := server
				behind.Endpoint = proxy.URL
				a, err := launch(ctx, behind)
				return a, proxy.Faults(isWrite), err
			},
			WriteInterval: gcs.WriteInterval, Rounds: 2, Takers: 4, AtOnce: 12,
			Skip: servers.Exceptions[server.Name],
		}
		if os.Getenv("ELECTD_SOAK") != "" {
			h.Rounds, h.Takers = 10, 8
		}
		arbitertest.Run(t, h)
	})
}
