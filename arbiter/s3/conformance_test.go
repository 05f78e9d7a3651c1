package s3_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func TestConformance(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store servers.S3) {
		config := s3.Config{
			Bucket: store.Bucket, Region: store.Region, Endpoint: store.Endpoint, Prefix: "kit",
			AccessKeyID: store.AccessKeyID, SecretAccessKey: store.SecretAccessKey,
		}
		arbitertest.Run(t, arbitertest.Harness{
			Open: func(ctx context.Context) (core.Arbiter, error) { return s3.New(ctx, config) },
			OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
				proxy := faultproxy.New(t, store.Endpoint)
				behind := config
				behind.Endpoint = proxy.URL
				a, err := s3.New(ctx, behind)
				return a, proxy.Faults(isPut), err
			},
			Skip: servers.Exceptions[store.Name],
		})
	})
}

func isPut(r *http.Request) bool { return r.Method == http.MethodPut }
