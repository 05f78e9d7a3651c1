package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// The test binary is also a plugin: started with this variable it serves one whose
// limits the variable's value names, or that does no TLS.
const asPlugin = "ELECTD_TEST_LIMITS"

var limits = map[string]plugins.Capabilities{
	"none":  {},
	"small": {MaxRecordBytes: core.MaxRecordBytes - 1},
	"whole": {MaxRecordBytes: core.MaxRecordBytes},
	"slow":  {MinWriteInterval: 3334 * time.Millisecond},
	"third": {MinWriteInterval: 3 * time.Second},
	"paced": {MinWriteInterval: 10 * time.Millisecond},
}

func servePlugin(mode string) {
	type config struct{}
	if mode == "notls" {
		os.Unsetenv("PLUGIN_CLIENT_CERT") // by which it would know that there is to be TLS
	}
	plugins.Serve(plugins.Plugin[config]{
		Name: "limited", Version: "1.0.0", Doc: "Keeps records in memory, and has a limit.",
		New:    func(context.Context, config) (core.Arbiter, error) { return memory.NewStore().Client("only"), nil },
		Limits: func(config) plugins.Capabilities { return limits[mode] },
	})
}

// limited writes a configuration whose arbiter is that plugin.
func limited(t *testing.T, mode, plugin string) (file string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "electd-arbiter-limited")
	script := fmt.Sprintf("#!/bin/sh\nexec env %s=%s %s\n", asPlugin, mode, self)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "electd.hcl")
	text := fmt.Sprintf("plugin_dir = %q\nnode {\n  id       = \"db-a\"\n  data_dir = %q\n}\n\narbiter \"limited\" {\n%s}\nelection \"orders\" {\n  arbiter_lease = \"10s\"\n}\n",
		dir, filepath.Join(dir, "data"), plugin)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ran runs electd and returns its exit status and what it printed.
func ran(t *testing.T, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, electd(), args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// A plugin that cannot carry a lease record, or cannot write as often as a leader
// must, is refused before anything rests on it.
func TestLimitsAreKeptTo(t *testing.T) {
	for mode, says := range map[string]string{
		"small": "records of at most 4095 bytes (its max_record_bytes), and a lease record may have 4096",
		"slow":  `one write every 3.334s (its min_write_interval), and election "orders" must be able to renew after 3.3333s`,
		"whole": "", "paced": "", "none": "",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			file := limited(t, mode, "")
			for _, command := range []string{"validate", "probe", "run"} {
				if command == "run" && says == "" {
					continue // it would go on
				}
				status, out := ran(t, command, "--config", file)
				out = strings.Join(strings.Fields(out), " ")
				switch {
				case says == "" && status != 0:
					t.Errorf("%s: status %d, want 0: %s", command, status, out)
				case says != "" && (status != 3 || !strings.Contains(out, says) || !strings.Contains(out, file+":7")):
					t.Errorf("%s: status %d, want 3 and %q at %s:7: %s", command, status, says, file, out)
				}
			}
		})
	}
}

// A reload that leaves no room for the arbiter's limits changes nothing.
func TestReloadKeepsToLimits(t *testing.T) {
	t.Parallel()
	file := limited(t, "third", "  probe = \"skip\"\n")
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	daemon := exec.Command(electd(), "run", "--config", file)
	daemon.Stderr = log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = daemon.Process.Signal(os.Interrupt); _ = daemon.Wait() }()
	awaitLine(t, log.Name(), "leading: election=orders")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"10s"`, `"6s"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	awaitLine(t, log.Name(), "one write every 3s (its min_write_interval)")
}

// awaitLine waits until a log has a text.
func awaitLine(t *testing.T, log, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never says %q, but\n%s", want, text)
		}
	}
}
