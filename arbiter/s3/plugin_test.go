package s3_test

import (
	"context"
	"os"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/electd-arbiter-s3/s3plugin"
)

// asPlugin makes the test binary the plugin process of TestConformanceAsPlugin.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) == "" {
		os.Exit(m.Run())
	}
	s3plugin.Plugin.Serve()
}

// launch opens the arbiter in a process of its own.
func launch(ctx context.Context, store servers.S3) (core.Arbiter, error) {
	host, err := plugins.Launch(ctx, plugins.Spec{Name: "s3", Self: []string{}, Env: []string{asPlugin + "=1"}})
	if err != nil {
		return nil, err
	}
	if err := host.Configure(ctx, plugins.Values{
		"bucket": store.Bucket, "prefix": "kit", "region": store.Region, "endpoint": store.Endpoint,
		"access_key_id": store.AccessKeyID, "secret_access_key": store.SecretAccessKey,
	}); err != nil {
		_ = host.Close()
		return nil, err
	}
	return host.Arbiter(), nil
}

// The same arbiter behaves the same across the process boundary.
func TestConformanceAsPlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starts a process for every client of the kit")
	}
	onStores(t, []string{"versitygw", "gofakes3"}, func(t *testing.T, store servers.S3) {
		arbitertest.Run(t, arbitertest.Harness{
			Open: func(ctx context.Context) (core.Arbiter, error) { return launch(ctx, store) },
			OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
				proxy := faultproxy.New(t, store.Endpoint)
				behind := store
				behind.Endpoint = proxy.URL
				a, err := launch(ctx, behind)
				return a, proxy.Faults(isPut), err
			},
			Skip: servers.Exceptions[store.Name],
		})
	})
}
