package etcd_test

import (
	"context"
	"net"
	"strings"
	"sync"
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
	// It ends the connection with what was sent taken in or not, which is EOF or a
	// reset for who sent it.
	ending := servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 64<<10)) })
	resetting := servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) })
	silent := servers.Listen(t, func(net.Conn) { <-t.Context().Done() })
	var all sync.WaitGroup // each waits for time to pass
	for name, c := range map[string]struct {
		config etcd.Config
		says   []string
	}{
		"nobody listens":    {etcd.Config{Endpoints: []string{servers.FreeAddress(t)}}, []string{"connection refused", "is etcd running?"}},
		"user, and nobody":  {etcd.Config{Endpoints: []string{servers.FreeAddress(t)}, Username: "u", Password: "p"}, []string{"connection refused", "is etcd running?"}},
		"TLS to plain":      {etcd.Config{Endpoints: []string{"https://" + plain}}, []string{"authentication handshake failed", "write http:// in endpoints"}},
		"TLS, and an end":   {etcd.Config{Endpoints: []string{"https://" + ending}}, []string{"authentication handshake failed", "write http:// in endpoints"}},
		"TLS, and a reset":  {etcd.Config{Endpoints: []string{"https://" + resetting}}, []string{"authentication handshake failed", "write http:// in endpoints"}},
		"plain, and an end": {etcd.Config{Endpoints: []string{ending}}, []string{"demand https:// in endpoints"}},
		"plain, and reset":  {etcd.Config{Endpoints: []string{resetting}}, []string{"demand https:// in endpoints"}},
		"nothing is spoken": {etcd.Config{Endpoints: []string{silent}}, []string{"deadline exceeded"}},
	} {
		all.Go(func() {
			t.Run(name, func(t *testing.T) { isExplained(t, c.config, c.says) })
		})
	}
	all.Wait()
}

func isExplained(t *testing.T, c etcd.Config, says []string) {
	a := open(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := a.Read(ctx, "k")
	if core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a read: %v, want unavailable", err)
	}
	mustSay(t, err, says)
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")})
	if core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("a write: %v, want unavailable", err)
	}
	mustSay(t, err, says)
}

func mustSay(t *testing.T, err error, words []string) {
	t.Helper()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
}
