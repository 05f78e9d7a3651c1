package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/examples/webstore/store"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/verify"
)

// The test binary is also the plugin: started again with this variable set, it
// is what main makes of it.
const asPlugin = "WEB_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var spec = plugins.Spec{Name: "web", Self: []string{}, Env: []string{asPlugin + "=1"}}

// The whole conformance kit, with the checks that break the way to the store.
func TestConformance(t *testing.T) {
	s := store.New()
	server := httptest.NewServer(s)
	defer server.Close()
	report, err := verify.Run(t.Context(), verify.Options{
		Spec:   spec,
		Values: plugins.Values{"url": server.URL},
		Faulty: func(_ context.Context, v plugins.Values) (plugins.Values, arbitertest.Faults, error) {
			way := store.NewWay(s)
			broken := httptest.NewServer(way)
			t.Cleanup(broken.Close)
			return plugins.Values{"url": broken.URL}, way.Faults(), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil || !report.Certified() {
		_ = report.WriteText(t.Output())
		t.Errorf("not certified: %v", err)
	}
}

func TestWrongURLIsNamed(t *testing.T) {
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Configure(t.Context(), plugins.Values{"url": "ftp://example.com"})
	var fault *core.AttributeError
	if !errors.As(err, &fault) || fault.Attribute != "url" {
		t.Errorf("%v is not about url", err)
	}
}
