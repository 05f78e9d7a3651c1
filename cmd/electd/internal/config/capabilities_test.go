package config

import (
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/plugins"
)

// The least interval between writes has to fit between two renewals.
func TestCheckCapabilities(t *testing.T) {
	alone := &Config{Elections: []Election{{Name: "orders", ArbiterLease: 9 * time.Second, FenceMargin: 500 * time.Millisecond}}}
	pair := &Config{Elections: alone.Elections, Transport: &Transport{Peers: []Peer{{ID: "db-b"}}}}
	for _, c := range []struct {
		name string
		of   *Config
		can  plugins.Capabilities
		says string // empty: nothing
	}{
		{"no limits", alone, plugins.Capabilities{}, ""},
		{"a third of the lease", alone, plugins.Capabilities{MinWriteInterval: 3 * time.Second}, ""},
		{"more than a third", alone, plugins.Capabilities{MinWriteInterval: 3*time.Second + 1}, "after 3s (a third of arbiter_lease 9s"},
		{"with peers, half less the margin", pair, plugins.Capabilities{MinWriteInterval: 4 * time.Second}, ""},
		{"with peers, more", pair, plugins.Capabilities{MinWriteInterval: 4*time.Second + 1}, "after 4s (half of arbiter_lease 9s less fence_margin 500ms)"},
		{"a whole record", alone, plugins.Capabilities{MaxRecordBytes: 4096}, ""},
		{"less than a record", alone, plugins.Capabilities{MaxRecordBytes: 4095}, "at most 4095 bytes"},
	} {
		err := c.of.CheckCapabilities(c.can).Err()
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
