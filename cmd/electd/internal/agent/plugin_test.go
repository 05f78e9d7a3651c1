package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/plugins"
)

// on returns the file arbiter's process for the store in a directory.
func on(t *testing.T, dir string) *plugins.Host {
	t.Helper()
	h, err := plugins.Launch(t.Context(), plugins.Spec{Name: "file", Self: []string{builtin.Command, "file"}, Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if err := h.Configure(t.Context(), plugins.Values{"dir": dir}); err != nil {
		t.Fatal(err)
	}
	return h
}

// A plugin that does not work must not take the place of one that does; where
// neither does, it may, and that is told.
func TestOnlyAPluginThatWorksTakesOver(t *testing.T) {
	const sound, broken = "sound", "broken"
	for _, c := range []struct{ name, next, running, unproven, err string }{
		{"both work", sound, sound, "", ""},
		{"only the new one works", sound, broken, "", ""},
		{"only the running one works", broken, sound, "", "the running one, which can read the store, goes on: "},
		{"neither works", broken, broken, "the one before it could not read the store either", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			next, running := on(t, filepath.Join(dir, c.next)), on(t, filepath.Join(dir, c.running))
			if err := os.WriteFile(filepath.Join(dir, broken), []byte("no directory"), 0o600); err != nil {
				t.Fatal(err)
			}
			unproven, err := judge(t.Context(), next, running, "n1")
			if (unproven == "") != (c.unproven == "") || !strings.Contains(unproven, c.unproven) {
				t.Errorf("it says %q, want %q", unproven, c.unproven)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("the error is %v, want %q", err, c.err)
			}
		})
	}
}
