package gcs_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/internal/servers"
	"github.com/electd/electd/core"
)

// onEveryServer runs test on each server with Google Cloud Storage's API.
func onEveryServer(t *testing.T, test func(t *testing.T, server servers.GCS)) {
	t.Run("gcsemulator", func(t *testing.T) { test(t, servers.Gcsemulator(t)) })
	t.Run("fake-gcs-server", func(t *testing.T) { test(t, servers.FakeGCS(t)) })
}

// unpaced makes an arbiter that writes as often as it is told to.
func unpaced(ctx context.Context, server servers.GCS) (*gcs.Arbiter, error) {
	a, err := gcs.New(ctx, gcs.Config{Bucket: server.Bucket, Endpoint: server.Endpoint, Prefix: "kit"})
	if err != nil {
		return nil, err
	}
	a.Unpaced()
	return a, nil
}

// isWrite tells an upload from every other request.
func isWrite(r *http.Request) bool { return r.Method == http.MethodPost }

func TestConformance(t *testing.T) {
	onEveryServer(t, func(t *testing.T, server servers.GCS) {
		arbitertest.Run(t, arbitertest.Harness{
			Open: func(ctx context.Context) (core.Arbiter, error) { return unpaced(ctx, server) },
			OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
				proxy := faultproxy.New(t, server.Endpoint)
				behind := server
				behind.Endpoint = proxy.URL
				a, err := unpaced(ctx, behind)
				return a, proxy.Faults(isWrite), err
			},
			Skip: exceptions[server.Name],
		})
	})
}
