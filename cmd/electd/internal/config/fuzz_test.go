package config

import (
	"os"
	"strings"
	"testing"
)

// Whatever is in the file, decoding ends with a configuration or with errors
// that have a place, and never with a panic.
func FuzzConfig(f *testing.F) {
	for _, pattern := range []string{"testdata/accepted/*.hcl", "testdata/refused/*.hcl"} {
		for _, path := range files(f, pattern) {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		c, diags := parse("fuzz.hcl", dir, []byte(text))
		if (c == nil) != diags.HasErrors() {
			t.Fatalf("configuration %v with errors %v", c, diags.Err())
		}
		if c != nil {
			_, more := c.DecodeArbiter(storeSchema)
			diags = diags.Append(more)
			accepted(t, c)
		}
		for _, p := range diags.Problems() {
			if p.Severity == "error" && (p.File != "fuzz.hcl" || p.Line == 0 || p.Column == 0 || strings.TrimSpace(p.Summary) == "") {
				t.Fatalf("an error without a place or a summary: %+v", p)
			}
		}
		written(t, diags)
	})
}

// accepted checks what every accepted configuration has.
func accepted(t *testing.T, c *Config) {
	if c.Node.ID == "" || c.Arbiter.Name == "" || len(c.Elections) == 0 || len(c.Peers()) > maxPeers {
		t.Fatalf("accepted without the essentials: %+v", c)
	}
	for _, e := range c.Elections {
		if total(e.Margin()) > e.FenceMargin || e.ArbiterLease <= e.HeartbeatLease {
			t.Fatalf("timings that cannot work were accepted: %+v", e)
		}
		if len(c.Peers()) > 0 && e.HeartbeatInterval+e.AckTimeout() >= e.HeartbeatLease-e.FenceMargin {
			t.Fatalf("heartbeats that cannot work were accepted: %+v", e)
		}
	}
	c.Consequences()
	if changes := Diff(c, c); len(changes) > 0 {
		t.Fatalf("differs from itself: %v", changes)
	}
}
