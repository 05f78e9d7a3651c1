package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A plugin without TLS is told so in words that can be followed, and can be looked
// at by a flag or by the configuration that says so.
func TestPluginWithoutTLS(t *testing.T) {
	t.Parallel()
	plain := limited(t, "notls", "  plugin {\n    insecure = true\n  }\n")
	strict := limited(t, "notls", "")
	program := filepath.Join(filepath.Dir(strict), "electd-arbiter-limited")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"info " + program, 1, "write insecure = true into its plugin block"},
		{"info limited --config " + strict, 1, "write insecure = true into its plugin block"},
		{"info " + program + " --insecure", 0, "limited"},
		{"info limited --config " + strict + " --insecure", 0, "limited"},
		{"info limited --config " + plain, 0, "limited"},
		{"info " + program + " --config " + plain, 0, "limited"},
		{"schema limited --json --config " + plain, 0, "[]"},
		{"schema limited --json", 1, "limited"},
		{"schema other --config " + plain, 2, `is "limited", not "other"`},
		{"info limited --config " + plain + ".not", 3, ""},
		{"info limited --plugin-dir /x --config " + plain, 2, "plugin-dir"},
		{"verify limited --plugin-dir /x --config " + plain, 2, "its own plugin_dir"},
		{"verify other --config " + plain, 2, `is "limited", not "other"`},
	} {
		status, out := ran(t, append([]string{"plugin"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out, c.says) {
			t.Errorf("electd plugin %s: status %d, want %d and %q: %s", c.args, status, c.status, c.says, out)
		}
	}
}

// A configuration's plugin_dir is where verify finds the plugin that is given by
// its name.
func TestVerifyFindsInPluginDir(t *testing.T) {
	t.Parallel()
	file := limited(t, "none", "")
	status, out := ran(t, "plugin", "verify", "limited", "--config", file, "--within", "20s")
	if status > 1 || !strings.Contains(out, "limited 1.0.0") { // its memory is not shared: some checks fail
		t.Errorf("status %d: %s", status, out)
	}
}
