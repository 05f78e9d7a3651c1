package e2e

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"testing"
	"time"

	"github.com/electd/electd/internal/servers"
)

// careless is a store in front of another that takes no notice of a header of
// writes, as some stores do with the conditions.
func careless(t *testing.T, store servers.S3, header string) servers.S3 {
	t.Helper()
	target, err := url.Parse(store.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if r.Out.Method == http.MethodPut {
			r.Out.Header.Del(header)
		}
	}})
	t.Cleanup(proxy.Close)
	store.Endpoint = proxy.URL
	return store
}

// TestStoresThatWouldLetTwoLeadersLive: electd probe and electd run refuse them,
// each with what it saw, and nobody leads.
func TestStoresThatWouldLetTwoLeadersLive(t *testing.T) {
	for header, want := range map[string][]string{
		"If-Match":      {"stale-swap-refused", "two nodes could lead at once"},
		"If-None-Match": {"create-once", "two nodes could lead at once"},
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, careless(t, servers.Gofakes3(t), header), "")
			p.witness.silent = true
			m := p.nodes[0]
			out, err := exec.CommandContext(t.Context(), electd(), "probe", "--config", m.config).CombinedOutput()
			if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 4 {
				t.Errorf("electd probe: %v, want exit status 4", err)
			}
			says(t, string(out), want...)
			code, text := m.once(30 * time.Second)
			if code != 4 {
				t.Errorf("electd run: exit status %d, want 4", code)
			}
			says(t, text, "the store is refused", want[0])
			none, err := register(t, p.store).Read(t.Context(), "orders/lease.json")
			if err != nil || none.Version != "" {
				t.Errorf("it has written the record %q, %v", none.Record, err)
			}
		})
	}
}
