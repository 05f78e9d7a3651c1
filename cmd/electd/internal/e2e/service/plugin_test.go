package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins/electd-arbiter-file/fileplugin"
)

// refusesReload has electd plugin reload end with status 1, and returns what it
// says.
func (d *daemon) refusesReload(args ...string) string {
	d.t.Helper()
	args = append([]string{"plugin", "reload", "--api", filepath.Join(d.dir, d.name, "api.sock")}, args...)
	out, err := exec.Command(electd(), args...).CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		d.t.Errorf("electd %v: %v, want exit status 1\n%s", args, err, out)
	}
	return string(out)
}

// A plugin is upgraded in place, again and again, pinned and not: the leader keeps
// its epoch, and no request of it fails.
func TestPluginReload(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	plugin := filepath.Join(d.dir, "electd-arbiter-file")
	program, err := os.ReadFile(filepath.Join(built, "electd-arbiter-file"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(version string) { // a running file cannot be written, but replaced
		if err := os.WriteFile(plugin+".new", append(program[:len(program):len(program)], version...), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(plugin+".new", plugin); err != nil {
			t.Fatal(err)
		}
	}
	put("")
	d.edit("arbiter \"file\" {", fmt.Sprintf("arbiter \"file\" {\n  plugin {\n    path = %q\n  }", plugin))
	d.start()
	before := d.wait("leading", leads)

	pids := map[string]bool{}
	said := regexp.MustCompile(`^file \S+ runs in the place of \S+ \(process (\d+), \S+electd-arbiter-file, sha256 [0-9a-f]{64}\)\n$`)
	reloads := func(args ...string) {
		t.Helper()
		out := d.command(append([]string{"plugin", "reload"}, args...)...)
		found := said.FindStringSubmatch(out)
		if found == nil || pids[found[1]] {
			t.Errorf("it says %q, want a process that was not there before", out)
			return
		}
		pids[found[1]] = true
	}
	reloads() // the same file
	for i := range 3 {
		put(fmt.Sprint("version ", i))
		reloads("file")
	}
	d.command("plugin", "pin")
	reloads() // by the pin
	put("not the pinned one")
	if out := d.refusesReload(); !strings.Contains(out, "db-a.hcl:8:") || !strings.Contains(out, "electd plugin pin") {
		t.Errorf("another file than the pinned one: it says %q, want the place of the pin and what to do", out)
	}
	d.command("plugin", "pin")
	reloads()
	put("version 4")
	d.edit("sha256", "sha526")
	if out := d.refusesReload(); !strings.Contains(out, "sha526") {
		t.Errorf("a configuration with a mistake: it says %q", out)
	}
	d.edit("sha526", "sha256")
	if out := d.refusesReload("s3"); !strings.Contains(out, `the arbiter of this daemon is "file", not "s3"`) {
		t.Errorf("another arbiter's name: it says %q", out)
	}

	now := d.wait("as before", leads)
	after := d.wait("renewing with the newest plugin", func(e client.Election) bool {
		return e.Leading && e.Requests.Writes > now.Requests.Writes
	})
	if after.Epoch != before.Epoch || after.Session != before.Session || after.Requests.Failures != 0 {
		t.Errorf("it leads at epoch %d in session %s after %d failed requests, want %d, %s and none",
			after.Epoch, after.Session, after.Requests.Failures, before.Epoch, before.Session)
	}
}

// asCareless makes this test's program the plugin of careless.
const asCareless = "ELECTD_TEST_CARELESS"

// careless is the file arbiter, but swaps whatever is stored.
type careless struct{ core.Arbiter }

func (c careless) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if s, err := c.Read(ctx, swap.Key); err == nil && swap.Expected != "" {
		swap.Expected = s.Version
	}
	return c.Arbiter.CompareAndSwap(ctx, swap)
}

func serveCareless() {
	p := fileplugin.Plugin
	p.New = func(ctx context.Context, c file.Config) (core.Arbiter, error) {
		a, err := file.New(ctx, c)
		return careless{a}, err
	}
	p.Serve()
}

// A plugin through which two leaders could live does not take over, neither on
// request nor with the rest of the configuration.
func TestPluginReloadIsProbed(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	plugin := filepath.Join(d.dir, "electd-arbiter-file")
	put := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(plugin+".new", []byte(text), 0o700), os.Rename(plugin+".new", plugin)); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	put("#!/bin/sh\nexec " + filepath.Join(built, "electd-arbiter-file") + "\n")
	d.edit("arbiter \"file\" {", fmt.Sprintf("arbiter \"file\" {\n  plugin {\n    path = %q\n  }", plugin))
	d.start()
	before := d.wait("leading", leads)
	put("#!/bin/sh\n" + asCareless + "=1 exec " + self + "\n")
	if out := d.refusesReload(); !strings.Contains(out, "store is refused through the new plugin") || !strings.Contains(out, "stale-swap-refused") {
		t.Errorf("it says %q", out)
	}
	if log := d.reload("nothing is changed"); !strings.Contains(log, "store is refused through the new plugin") {
		t.Errorf("with SIGHUP the log has\n%s", log)
	}
	now := d.wait("as before", leads)
	after := d.wait("renewing with the old plugin", func(e client.Election) bool {
		return e.Leading && e.Requests.Writes > now.Requests.Writes
	})
	if after.Epoch != before.Epoch || after.Requests.Failures != 0 {
		t.Errorf("it leads at epoch %d after %d failed requests, want %d and none", after.Epoch, after.Requests.Failures, before.Epoch)
	}
}

// What is built in is electd itself.
func TestPluginReloadOfABuiltIn(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	d.start()
	d.wait("leading", leads)
	if out := d.refusesReload(); !strings.Contains(out, "file is built in") || !strings.Contains(out, "restart") {
		t.Errorf("it says %q", out)
	}
}
