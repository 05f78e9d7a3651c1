package s3_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/internal/servers"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
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
				return a, faultsOf(proxy), err
			},
		})
	})
}

// faultsOf are the kit's handles on a fault proxy.
func faultsOf(proxy *faultproxy.Proxy) arbitertest.Faults {
	var (
		mu     sync.Mutex
		once   faultproxy.Verdict // of the next write
		silent bool
	)
	proxy.Decide(func(r *http.Request) faultproxy.Verdict {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case silent:
			return faultproxy.Hang()
		case r.Method == http.MethodPut && once != nil:
			v := once
			once = nil
			return v
		}
		return nil
	})
	next := func(v faultproxy.Verdict) {
		mu.Lock()
		defer mu.Unlock()
		once = v
	}
	return arbitertest.Faults{
		LoseRequest: func() { next(faultproxy.DropRequest()) },
		LoseAnswer:  func() { next(faultproxy.DropAnswer()) },
		HoldWrite: func() func() {
			late := faultproxy.NewLate()
			next(late.Verdict())
			return func() { _, _ = late.Apply() }
		},
		Silence: func() {
			mu.Lock()
			defer mu.Unlock()
			silent = true
		},
	}
}
