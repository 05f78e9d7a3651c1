package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins/electd-arbiter-file/fileplugin"
)

// endsWithin is how long a daemon with short margins takes to end at most, as
// docs/operations.md says.
const endsWithin = 10 * time.Second

// asStuck makes this test's program a plugin that gets stuck once a file of that
// name exists.
const asStuck = "ELECTD_TEST_STUCK"

// stuck is the file arbiter until it is to get stuck: from then on no call of it
// returns, whatever its caller says.
type stuck struct {
	core.Arbiter
	from string
}

func (s stuck) wait() {
	if _, err := os.Stat(s.from); err == nil {
		select {}
	}
}

func (s stuck) Read(ctx context.Context, key string) (core.Snapshot, error) {
	s.wait()
	return s.Arbiter.Read(ctx, key)
}

func (s stuck) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	s.wait()
	return s.Arbiter.CompareAndSwap(ctx, swap)
}

func (s stuck) Close() error {
	s.wait()
	return s.Arbiter.Close()
}

func serveStuck() {
	p := fileplugin.Plugin
	p.New = func(ctx context.Context, c file.Config) (core.Arbiter, error) {
		a, err := file.New(ctx, c)
		return stuck{a, os.Getenv(asStuck)}, err
	}
	p.Serve()
}

// Everything that an end waits for takes as long as it can: the release cannot be
// written, the plugin does not end, the collector of traces does not answer, a
// request is under way, and an event stream is open. It is not the sum of it all
// that the end takes.
func TestTheEndIsInTime(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // what is never accepted waits in the kernel
	d := newDaemon(t, workplace(t), "db-a")
	d.alone(hook("demote", "exec sleep 1000") + run("exec sleep 1000"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plugin, from := filepath.Join(d.dir, "electd-arbiter-file"), filepath.Join(d.dir, "stuck")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\n"+asStuck+"="+from+" exec "+self+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.edit("arbiter \"file\" {", fmt.Sprintf("arbiter \"file\" {\n  plugin {\n    path = %q\n  }", plugin))
	d.edit("election", fmt.Sprintf("telemetry {\n  endpoint = \"http://%s\"\n}\nelection", silent.Addr()))
	d.start()
	d.wait("leading", leads)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for range d.api.Events(ctx, "latest") {
		}
	}()
	if err := os.WriteFile(from, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		_, err := d.api.Lease(ctx, "orders") // a read that nobody answers
		asked <- err
	}()
	d.wait("a request to the store that is not answered", func(e client.Election) bool { return e.Requests.Failures > 0 })
	code, took := d.terminated()
	t.Logf("it ended after %s", took)
	if took > endsWithin {
		t.Errorf("it ended after %s, want %s at most", took, endsWithin)
	}
	if code != 5 {
		t.Errorf("exit status %d, want 5: what it held is not released", code)
	}
	if err := <-asked; err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the request under way was answered with %v", err)
	}
}

// A program that takes longer to stop than a daemon usually takes to end has that
// time, and what is held is released after it.
func TestTheEndWaitsForTheProgram(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	stopped := filepath.Join(d.dir, "stopped")
	d.write(d.common() + fmt.Sprintf(`election "orders" {
  arbiter_lease   = "60s"
  heartbeat_lease = "30s"
  fence_margin    = "20s"
  run {
    command      = ["sh", "-c", "trap 'sleep 11; echo yes >%s; exit 0' TERM; while :; do sleep 0.1; done"]
    stop_timeout = "15s"
  }
}
`, stopped))
	d.start()
	d.wait("leading", leads)
	d.says("program started")
	if code, _ := d.terminated(); code != 0 || len(lines(stopped)) != 1 {
		t.Errorf("exit status %d, and the program has stopped by itself %d times; want 0 and 1", code, len(lines(stopped)))
	}
	d.says("the lease is released")
}
