package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/internal/servers"
)

// daemon is one node of a test.
type daemon struct {
	t       *testing.T
	name    string
	dir     string // of the test: configurations, logs, records
	config  string
	address string // for its peers
	env     []string
	api     *client.Client
	cmd     *exec.Cmd
	exited  chan struct{}
}

// workplace returns a folder short enough for Unix sockets.
func workplace(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newDaemon(t *testing.T, dir, name string) *daemon {
	t.Helper()
	d := &daemon{t: t, name: name, dir: dir, config: filepath.Join(dir, name+".hcl"), address: fmt.Sprintf("127.0.0.1:%d", servers.FreePort(t))}
	d.api, _ = client.New(filepath.Join(dir, name, "api.sock"), client.Options{})
	t.Cleanup(d.end)
	return d
}

// common is what every configuration of these tests begins with. Leases are long
// enough for a machine that does a lot beside.
func (d *daemon) common() string {
	return fmt.Sprintf(`node {
  id       = %q
  data_dir = %q
}
arbiter "file" {
  dir = %q
}
`, d.name, filepath.Join(d.dir, d.name), filepath.Join(d.dir, "records"))
}

func (d *daemon) peers(others ...*daemon) string {
	text := fmt.Sprintf("transport {\n  listen   = %q\n  insecure = true\n", d.address)
	for _, o := range others {
		text += fmt.Sprintf("  peer %q {\n    address = %q\n  }\n", o.name, o.address)
	}
	return text + "}\n"
}

// alone configures a node that the arbiter alone decides for; inside stands in
// the election block.
func (d *daemon) alone(inside string) {
	d.write(d.common() + "election \"orders\" {\n  arbiter_lease = \"3s\"\n  heartbeat_lease = \"2s\"\n" + inside + "}\n")
}

// paired configures two nodes alike.
func paired(t *testing.T, inside string) (a, b *daemon) {
	t.Helper()
	dir := workplace(t)
	a, b = newDaemon(t, dir, "db-a"), newDaemon(t, dir, "db-b")
	for _, d := range []struct{ one, other *daemon }{{a, b}, {b, a}} {
		d.one.write(d.one.common() + d.one.peers(d.other) + election(inside))
	}
	return a, b
}

func election(inside string) string {
	return "election \"orders\" {\n  heartbeat_lease = \"3s\"\n  fence_margin = \"1s\"\n" + inside + "}\n"
}

func (d *daemon) write(text string) {
	d.t.Helper()
	if err := os.WriteFile(d.config, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// edit replaces something in the configuration.
func (d *daemon) edit(old, new string) {
	d.t.Helper()
	text, err := os.ReadFile(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		d.t.Fatalf("the configuration has no %q", old)
	}
	d.write(strings.Replace(string(text), old, new, 1))
}

func (d *daemon) start() {
	d.t.Helper()
	log, err := os.OpenFile(d.config+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	d.cmd = exec.Command(electd(), "run", "--config", d.config)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	d.cmd.Env = append(os.Environ(), d.env...)
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		cmd.Wait()
		close(exited)
	}(d.cmd, d.exited)
}

func (d *daemon) signal(s syscall.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}

// end ends the process in good order, and shows its log if the test failed.
func (d *daemon) end() {
	if d.cmd == nil {
		return
	}
	d.cmd.Process.Signal(syscall.SIGCONT)
	d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(20 * time.Second):
		d.t.Errorf("%s does not end", d.name)
		d.cmd.Process.Kill()
		<-d.exited
	}
	if d.t.Failed() {
		d.t.Logf("log of %s:\n%s", d.name, d.log())
	}
}

func (d *daemon) log() string {
	text, _ := os.ReadFile(d.config + ".log")
	return string(text)
}

// patience is what anything may take on a machine that does a lot beside.
const patience = 60 * time.Second

// wait waits until the election stands as asked for.
func (d *daemon) wait(what string, is func(client.Election) bool) client.Election {
	d.t.Helper()
	var last client.Election
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		e, err := d.api.Election(ctx, "orders")
		cancel()
		if err != nil {
			continue
		}
		if last = e; is(e) {
			return e
		}
	}
	d.t.Fatalf("%s: not %s within %s, but %+v", d.name, what, patience, last)
	return last
}

func leads(e client.Election) bool { return e.Leading }

// carried: it leads, on heartbeats alone, and its peer could take over.
func carried(e client.Election) bool {
	return e.Leading && e.ArbiterMS == 0 && len(e.Peers) == 1 && e.Peers[0].Acknowledges && e.Peers[0].Eligible
}

// says waits until the log matches all that is wanted.
func (d *daemon) says(want ...string) {
	d.t.Helper()
	for _, w := range want {
		eventually(d.t, fmt.Sprintf("%s logs %q", d.name, w), func() bool { return strings.Contains(d.log(), w) })
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// lines are the lines of a file, none if it is not there.
func lines(path string) []string {
	text, _ := os.ReadFile(path)
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}
