package s3_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// stores are the servers that every behaviour here is judged on.
var stores = map[string]func(testing.TB) servers.S3{
	"versitygw": servers.Versitygw,
	"gofakes3":  servers.Gofakes3,
	"strict3":   servers.Strict3,
}

func onEveryStore(t *testing.T, test func(t *testing.T, store servers.S3)) {
	onStores(t, slices.Sorted(maps.Keys(stores)), test)
}

func onStores(t *testing.T, names []string, test func(t *testing.T, store servers.S3)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, stores[name](t)) })
	}
}

func open(t testing.TB, store servers.S3, change ...func(*s3.Config)) *s3.Arbiter {
	t.Helper()
	c := s3.Config{
		Bucket: store.Bucket, Region: store.Region, Endpoint: store.Endpoint, Prefix: "prod",
		AccessKeyID: store.AccessKeyID, SecretAccessKey: store.SecretAccessKey,
	}
	for _, f := range change {
		f(&c)
	}
	a, err := s3.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestCreateSwapRead(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store servers.S3) {
		ctx := context.Background()
		a, b := open(t, store), open(t, store)
		const key = "orders/lease.json"

		none, err := a.Read(ctx, key)
		if err != nil || none.Version != "" || none.Record != nil {
			t.Fatalf("read of a vacant key: %+v, %v", none, err)
		}
		v1, err := a.CompareAndSwap(ctx, core.Swap{Key: key, Record: []byte("one")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.CompareAndSwap(ctx, core.Swap{Key: key, Record: []byte("two")}); !errors.Is(err, core.ErrConflict) {
			t.Fatalf("second create: %v, want a conflict", err)
		}
		v2, err := b.CompareAndSwap(ctx, core.Swap{Key: key, Expected: v1, Record: []byte("two")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.CompareAndSwap(ctx, core.Swap{Key: key, Expected: v1, Record: []byte("stale")}); !errors.Is(err, core.ErrConflict) {
			t.Fatalf("stale swap: %v, want a conflict", err)
		}
		got, err := a.Read(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if got.Version != v2 || string(got.Record) != "two" || got.StoreTime.IsZero() {
			t.Fatalf("read %q at %s (store time %v), want %q at %s", got.Record, got.Version, got.StoreTime, "two", v2)
		}
	})
}

func TestOneWinnerOfManyWriters(t *testing.T) {
	const writers = 32
	onEveryStore(t, func(t *testing.T, store servers.S3) {
		arbiters := []*s3.Arbiter{open(t, store), open(t, store), open(t, store), open(t, store)}
		var expected core.Version
		for round := range 5 {
			var (
				wg   sync.WaitGroup
				mu   sync.Mutex
				wins []core.Version
			)
			for w := range writers {
				wg.Go(func() {
					v, err := arbiters[w%len(arbiters)].CompareAndSwap(context.Background(), core.Swap{
						Key: "orders/lease.json", Expected: expected, Record: fmt.Appendf(nil, "round %d writer %d", round, w),
					})
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						wins = append(wins, v)
					} else if !errors.Is(err, core.ErrConflict) {
						t.Errorf("round %d writer %d: %v, want a conflict", round, w, err)
					}
				})
			}
			wg.Wait()
			if len(wins) != 1 {
				t.Fatalf("round %d from version %q: %d winners, want 1", round, expected, len(wins))
			}
			expected = wins[0]
		}
	})
}
