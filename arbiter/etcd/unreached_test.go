package etcd_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/etcd"
	"github.com/electd/electd/arbiter/etcd/etcdtest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// Why no member is reached is said, and what to do: not only that the time was over.
func TestUnreachedIsExplained(t *testing.T) {
	plain := etcdtest.Start(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, c := range map[string]struct {
		config etcd.Config
		says   []string
	}{
		"nobody listens":    {etcd.Config{Endpoints: []string{servers.FreeAddress(t)}}, []string{"connection refused", "is etcd running?"}},
		"user, and nobody":  {etcd.Config{Endpoints: []string{servers.FreeAddress(t)}, Username: "u", Password: "p"}, []string{"connection refused", "is etcd running?"}},
		"TLS to plain":      {etcd.Config{Endpoints: []string{"https://" + plain}}, []string{"authentication handshake failed", "write http:// in endpoints"}},
		"nothing is spoken": {etcd.Config{Endpoints: []string{silent.Addr().String()}}, []string{"deadline exceeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, c.config)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := a.Read(ctx, "k")
			if core.ReadOutcome(err) != core.Unavailable {
				t.Errorf("a read: %v, want unavailable", err)
			}
			mustSay(t, err, c.says)
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")})
			if core.WriteOutcome(err) != core.Unavailable {
				t.Errorf("a write: %v, want unavailable", err)
			}
			mustSay(t, err, c.says)
		})
	}
}

func mustSay(t *testing.T, err error, words []string) {
	t.Helper()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
}
