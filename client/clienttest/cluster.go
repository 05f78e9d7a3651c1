// Package clienttest starts real electd daemons on this machine, for tests of
// programs that use package client: killing and freezing a daemon is the only
// way to know what such a program does then.
package clienttest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"text/template"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/internal/servers"
)

// Token is what the daemons' TCP listeners ask for.
const Token = "token-of-a-test-cluster"

// Options say what to start. The zero value is a pair with one election.
type Options struct {
	Nodes      []string // default: db-a and db-b
	Elections  []string // default: orders
	InElection string   // further lines of every election block: run, hook, health
}

// Cluster is a few daemons that share a directory as their arbiter. Their
// timings are short, and long enough for a busy machine: a failover takes about
// two seconds.
type Cluster struct {
	Nodes []*Daemon

	t   testing.TB
	dir string
}

// Start configures and starts daemons. They end with the test.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if len(o.Nodes) == 0 {
		o.Nodes = []string{"db-a", "db-b"}
	}
	if len(o.Elections) == 0 {
		o.Elections = []string{"orders"}
	}
	program := Electd(t)
	dir, err := os.MkdirTemp("", "clienttest-") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: dir}
	t.Cleanup(c.close)
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addresses := map[string]string{}
	for _, name := range o.Nodes {
		addresses[name] = servers.FreeAddress(t)
	}
	for _, name := range o.Nodes {
		c.Nodes = append(c.Nodes, c.configure(program, name, addresses, o))
	}
	for _, d := range c.Nodes {
		d.Start()
	}
	return c
}

var configuration = template.Must(template.New("electd.hcl").Parse(`node {
  id       = "{{.Name}}"
  data_dir = "{{.Dir}}/{{.Name}}"
}
arbiter "file" {
  dir = "{{.Dir}}/store"
}
{{- if gt (len .Addresses) 1}}
transport {
  listen   = "{{index .Addresses .Name}}"
  insecure = true
{{- range $peer, $address := .Addresses}}{{if ne $peer $.Name}}
  peer "{{$peer}}" {
    address = "{{$address}}"
  }
{{- end}}{{end}}
}
{{- end}}
{{- range .Elections}}
election "{{.}}" {
  arbiter_lease      = "8s"
  heartbeat_interval = "400ms"
  heartbeat_lease    = "2s"
  fence_margin       = "620ms"
  {{$.InElection}}
}
{{- end}}
api {
  listen     = "{{.API}}"
  token_file = "{{.Dir}}/token"
}
`))

func (c *Cluster) configure(program, name string, addresses map[string]string, o Options) *Daemon {
	c.t.Helper()
	d := &Daemon{
		Name: name, Socket: filepath.Join(c.dir, name, "api.sock"), Address: servers.FreeAddress(c.t),
		t: c.t, program: program, config: filepath.Join(c.dir, name+".hcl"), log: filepath.Join(c.dir, name+".log"),
	}
	var text bytes.Buffer
	err := configuration.Execute(&text, map[string]any{
		"Name": name, "Dir": c.dir, "Addresses": addresses, "Elections": o.Elections, "InElection": o.InElection, "API": d.Address,
	})
	if err == nil {
		err = os.WriteFile(d.config, text.Bytes(), 0o600)
	}
	if err == nil {
		d.Client, err = client.New(d.Socket, client.Options{})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

// Leader waits until one daemon leads the election and all that run agree, and
// returns it.
func (c *Cluster) Leader(election string) *Daemon {
	c.t.Helper()
	return c.Await("one leader that all agree on", func() *Daemon {
		var leader *Daemon
		for _, d := range c.Nodes {
			e, err := d.Election(election)
			switch {
			case !d.Running():
				continue
			case err != nil:
				return nil
			case e.Leading:
				leader = d
			}
		}
		for _, d := range c.Nodes {
			if e, _ := d.Election(election); leader == nil || d.Running() && e.Leader != leader.Name {
				return nil
			}
		}
		return leader
	})
}

// Settled is Leader, and waits until the leader stands on heartbeats alone and
// every other daemon could take over. All must run.
func (c *Cluster) Settled(election string) *Daemon {
	c.t.Helper()
	return c.Await("a leader whose electors all acknowledge", func() *Daemon {
		leader := c.Leader(election)
		e, err := leader.Election(election)
		if err != nil || !e.Leading || len(c.Nodes) > 1 && e.ArbiterMS != 0 {
			return nil
		}
		for _, p := range e.Peers {
			if !p.Elector || !p.Acknowledges || !p.Eligible {
				return nil
			}
		}
		// Nor may the last that one heard of be the arbiter's lease, which is longer.
		for _, d := range c.Others(leader) {
			if f, err := d.Election(election); err != nil || f.FreeInMS > e.HeartbeatLeaseMS {
				return nil
			}
		}
		return leader
	})
}

// Others returns every daemon but one.
func (c *Cluster) Others(d *Daemon) []*Daemon {
	var out []*Daemon
	for _, other := range c.Nodes {
		if other != d {
			out = append(out, other)
		}
	}
	return out
}

// within is how long anything may take, on a machine that is busy with else.
const within = 30 * time.Second

// Await asks again and again until there is an answer, and fails the test if
// none comes in half a minute.
func (c *Cluster) Await(what string, ask func() *Daemon) *Daemon {
	c.t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if d := ask(); d != nil {
			return d
		}
	}
	for _, d := range c.Nodes {
		c.t.Logf("log of %s:\n%s", d.Name, d.Log())
	}
	c.t.Fatalf("not within %s: %s", within, what)
	return nil
}

func (c *Cluster) close() {
	for _, d := range c.Nodes {
		d.end()
	}
	if c.t.Failed() {
		for _, d := range c.Nodes {
			c.t.Logf("log of %s:\n%s", d.Name, d.Log())
		}
	}
	os.RemoveAll(c.dir)
}
