package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
	"github.com/electd/electd/plugins"
)

// The test binary is also the plugin: started again with this variable set, it
// is what main makes of it.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func launch(ctx context.Context, values plugins.Values) (core.Arbiter, error) {
	h, err := plugins.Launch(ctx, plugins.Spec{Name: "bully", Self: []string{}, Env: []string{asPlugin + "=1"}})
	if err != nil {
		return nil, err
	}
	if err := h.Configure(ctx, values); err != nil {
		_ = h.Close()
		return nil, err
	}
	return h.Arbiter(), nil
}

// values is the configuration of one node.
func values(node string, addresses map[string]string) plugins.Values {
	return plugins.Values{
		"voters": []string{"a", "b", "c"}, "node": node, "addresses": maps.Clone(addresses),
		"bind": "off", "insecure": true, "profile": "fast",
	}
}

// TestConformanceAsPlugin runs the kit against three voters, each in a plugin
// process of its own. The kit's clients are plugin processes without a vote.
func TestConformanceAsPlugin(t *testing.T) {
	addresses := map[string]string{}
	for _, voter := range []string{"a", "b", "c"} {
		addresses[voter] = servers.FreeAddress(t)
	}
	for voter, address := range addresses {
		v := values(voter, addresses)
		v["data_dir"], v["vote_listen"] = filepath.Join(t.TempDir(), voter), address
		a, err := launch(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
	}
	var clients atomic.Int64
	open := func(ctx context.Context, addresses map[string]string) (core.Arbiter, error) {
		a, err := launch(ctx, values(fmt.Sprint("client-", clients.Add(1)), addresses))
		if err != nil {
			return nil, err
		}
		for ctx.Err() == nil { // until the voters have met and the client knows them
			if _, err = a.Read(ctx, "ready"); err == nil {
				return a, nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = a.Close()
		return nil, err
	}
	arbitertest.Run(t, arbitertest.Harness{
		Takers: 4,
		Open:   func(ctx context.Context) (core.Arbiter, error) { return open(ctx, addresses) },
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			g, err := newGate(t, addresses)
			if err != nil {
				return nil, arbitertest.Faults{}, err
			}
			a, err := open(ctx, g.addresses)
			return a, g.faults(), err
		},
	})
}
