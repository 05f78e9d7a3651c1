package gcs_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// onEveryServer runs test on each server with Google Cloud Storage's API.
func onEveryServer(t *testing.T, test func(t *testing.T, server servers.GCS)) {
	t.Run("gcsemulator", func(t *testing.T) { test(t, servers.Gcsemulator(t)) })
	t.Run("fake-gcs-server", func(t *testing.T) { test(t, servers.FakeGCS(t)) })
}

// paced makes an arbiter as it is.
func paced(ctx context.Context, server servers.GCS) (*gcs.Arbiter, error) {
	return gcs.New(ctx, gcs.Config{Bucket: server.Bucket, Endpoint: server.Endpoint, Prefix: "kit"})
}

// unpaced makes one that writes as often as it is told to.
func unpaced(ctx context.Context, server servers.GCS) (*gcs.Arbiter, error) {
	a, err := paced(ctx, server)
	if err != nil {
		return nil, err
	}
	a.Unpaced()
	return a, nil
}

// isWrite tells an upload from every other request.
func isWrite(r *http.Request) bool { return r.Method == http.MethodPost }

func TestConformance(t *testing.T) {
	onEveryServer(t, func(t *testing.T, server servers.GCS) { arbitertest.Run(t, harness(t, server, unpaced)) })
}

// The same at the pace that Google bears.
func TestConformanceAtTheStoresPace(t *testing.T) {
	onEveryServer(t, func(t *testing.T, server servers.GCS) {
		h := harness(t, server, paced)
		h.WriteInterval = gcs.WriteInterval
		arbitertest.Run(t, h)
	})
}

// harness is the kit's on a server, with clients that open makes.
func harness(t *testing.T, server servers.GCS, open func(context.Context, servers.GCS) (*gcs.Arbiter, error)) arbitertest.Harness {
	return arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) { return open(ctx, server) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			proxy := faultproxy.New(t, server.Endpoint)
			behind := server
			behind.Endpoint = proxy.URL
			a, err := open(ctx, behind)
			return a, proxy.Faults(isWrite), err
		},
		Skip: servers.Exceptions[server.Name],
	}
}
