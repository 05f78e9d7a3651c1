package bully

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// benchCluster is three voters on loopback, each with its own fsynced disk.
func benchCluster(b *testing.B) map[string]*Arbiter {
	b.Helper()
	addresses := map[string]string{"a": "127.0.0.1:0", "b": "127.0.0.1:0", "c": "127.0.0.1:0"}
	for node := range addresses {
		addresses[node] = servers.FreeAddress(b)
	}
	nodes := map[string]*Arbiter{}
	dir := b.TempDir()
	for node, address := range addresses {
		a, err := New(b.Context(), Config{
			Voters: []string{"a", "b", "c"}, Node: node, DataDir: filepath.Join(dir, node), VoteListen: address,
			Addresses: addresses, Bind: gossipOff, Insecure: true, Profile: "local", log: quiet(),
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = a.Close() })
		nodes[node] = a
	}
	for _, a := range nodes {
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			if _, err := a.belongsTo(); err == nil {
				break
			} else if time.Since(start) > 20*time.Second {
				b.Fatal(err)
			}
		}
	}
	return nodes
}

func BenchmarkRenewal(b *testing.B) {
	a := benchCluster(b)["a"]
	var version core.Version
	for n := range b.N {
		v, err := a.CompareAndSwap(context.Background(), core.Swap{
			Key: lease, Expected: version, Record: fmt.Appendf(nil, "renewal %d %0400d", n, 0), Intent: core.Renew,
		})
		if err != nil {
			b.Fatal(err)
		}
		version = v
	}
}

func BenchmarkRead(b *testing.B) {
	nodes := benchCluster(b)
	if _, err := nodes["a"].CompareAndSwap(context.Background(), core.Swap{Key: lease, Record: []byte("one")}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		if _, err := nodes["b"].Read(context.Background(), lease); err != nil {
			b.Fatal(err)
		}
	}
}
