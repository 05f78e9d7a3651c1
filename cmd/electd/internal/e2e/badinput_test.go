package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// once runs a daemon that is to end by itself and returns its exit status and
// what it said.
func (m *machine) once(within time.Duration) (int, string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	out, err := exec.CommandContext(ctx, electd(), "run", "--config", m.config).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		m.t.Fatalf("electd did not end by itself within %s, and said:\n%s", within, out)
	case err == nil:
		return 0, string(out)
	case errors.As(err, &exit):
		return exit.ExitCode(), string(out)
	}
	m.t.Fatal(err)
	return 0, ""
}

// edit replaces something in the machine's configuration.
func (m *machine) edit(old, new string) {
	m.t.Helper()
	text, err := os.ReadFile(m.config)
	if err != nil {
		m.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		m.t.Fatalf("the configuration has no %q", old)
	}
	m.write(strings.Replace(string(text), old, new, 1))
}

func says(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
}

// TestMistakesThatEndTheDaemon: one clear message each, and exit status 3.
func TestMistakesThatEndTheDaemon(t *testing.T) {
	store := servers.Strict3(t)
	tests := map[string]struct {
		mistake func(p *pair, m *machine)
		want    []string
	}{
		"an attribute misspelt": {
			func(p *pair, m *machine) {
				m.edit(`election "orders" {`, "election \"orders\" {\n  heartbeat_laese = \"1s\"")
			},
			[]string{"db-a.hcl line 26", "heartbeat_laese", "heartbeat_lease"},
		},
		"an arbiter's attribute misspelt": {
			func(p *pair, m *machine) { m.edit("path_style ", "path_stile ") },
			[]string{"db-a.hcl line 10", "path_stile", "path_style"},
		},
		"an endpoint with a path": {
			func(p *pair, m *machine) { m.edit(p.store.Endpoint, p.store.Endpoint+"/minio") },
			[]string{"db-a.hcl line 9", "endpoint", "has a path: /minio"},
		},
		"an endpoint with the bucket in its host name": {
			func(p *pair, m *machine) { m.edit(p.store.Endpoint, "https://leases.s3.example.com") },
			[]string{"db-a.hcl line 9", "bucket in its host name", "https://s3.example.com"},
		},
		"timings that cannot work": {
			func(p *pair, m *machine) {
				m.edit(`election "orders" {`, "election \"orders\" {\n  fence_margin = \"100ms\"")
			},
			[]string{"db-a.hcl line 26", "fence_margin", "460ms"},
		},
		"the port is taken": {
			func(p *pair, m *machine) {
				l, err := net.Listen("tcp", m.peer)
				if err != nil {
					p.t.Fatal(err)
				}
				p.t.Cleanup(func() { l.Close() })
			},
			[]string{"db-a.hcl line", "listen", "in use"},
		},
		"the certificate of another node": {
			func(p *pair, m *machine) {
				m.edit("tls/db-a.pem", "tls/db-b.pem")
				m.edit("tls/db-a.key", "tls/db-b.key")
			},
			[]string{"db-a.hcl line", "db-b", "db-a"},
		},
		"a plugin that is not there": {
			func(p *pair, m *machine) { m.edit(`arbiter "s3"`, `arbiter "s33"`) },
			[]string{"db-a.hcl line 5", "electd-arbiter-s33"},
		},
		"the data directory of another node": {
			func(p *pair, m *machine) {
				other := p.nodes[1]
				other.start()
				other.wait("up", func(client.Election) bool { return true })
				other.kill()
				m.edit(m.dir, other.dir)
			},
			[]string{"db-b"},
		},
		"the data directory is in use": {
			func(p *pair, m *machine) {
				m.start()
				m.wait("up", func(client.Election) bool { return true })
			},
			[]string{"db-a", "in use"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, store, "")
			p.witness.silent = true
			m := p.nodes[0]
			test.mistake(p, m)
			code, text := m.once(20 * time.Second)
			if code != 3 {
				t.Errorf("exit status %d, want 3", code)
			}
			says(t, text, test.want...)
		})
	}
}

// register is the record of the election as it lies in the store.
func register(t *testing.T, s servers.S3) core.Arbiter {
	t.Helper()
	a, err := s3.New(t.Context(), s3.Config{
		Bucket: s.Bucket, Prefix: "e2e", Region: s.Region, Endpoint: s.Endpoint, PathStyle: true,
		AccessKeyID: s.AccessKeyID, SecretAccessKey: s.SecretAccessKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestMistakesThatShow: the daemon stays, says why in its status, and leaves
// the record alone.
func TestMistakesThatShow(t *testing.T) {
	tests := map[string]struct {
		record  string // laid into the store before
		mistake func(p *pair, m *machine)
		want    []string // in why or trouble, or in what the arbiter's problem is
	}{
		"a bucket that is not there": {"", func(p *pair, m *machine) { m.edit(p.store.Bucket, "elsewhere") }, []string{"elsewhere", "bucket"}},
		"wrong credentials":          {"", func(p *pair, m *machine) { m.edit(p.store.SecretAccessKey, "wrong-secret") }, []string{"denied", "SignatureDoesNotMatch"}},
		"no store":                   {"", func(p *pair, m *machine) { m.edit(p.store.Endpoint, "http://127.0.0.1:1") }, []string{"unavailable", "connection refused"}},
		"a wrong region":             {"", func(p *pair, m *machine) { m.edit(fmt.Sprintf("%q", p.store.Region), `"eu-west-1"`) }, []string{"eu-west-1", "expecting 'us-east-1'"}},
		"TLS to a plain port":        {"", func(p *pair, m *machine) { m.edit("http://", "https://") }, []string{"does not speak TLS", "http://"}},
		"a corrupt record":           {`{"format": 1, "lease_epoch": "x"`, nothing, []string{"cannot be read"}},
		"a newer record":             {`{"format": 99, "anything": true}`, nothing, []string{"newer format"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := servers.Strict3(t)
			p := newPair(t, store, "")
			p.witness.silent = true
			record := register(t, store)
			if test.record != "" {
				if _, err := record.CompareAndSwap(t.Context(), core.Swap{Key: "orders/lease.json", Record: []byte(test.record), Intent: core.Take}); err != nil {
					t.Fatal(err)
				}
			}
			m := p.nodes[0]
			test.mistake(p, m)
			m.start()
			m.wait("telling", func(e client.Election) bool {
				if e.Leading {
					t.Fatalf("it leads: %+v", e)
				}
				text := e.Why + e.Trouble + e.Requests.LastError
				for _, w := range test.want {
					if !strings.Contains(text, w) {
						return false
					}
				}
				return true
			})
			after, err := record.Read(t.Context(), "orders/lease.json")
			if err != nil || string(after.Record) != test.record {
				t.Errorf("the record is now %q, %v", after.Record, err)
			}
		})
	}
}

func nothing(*pair, *machine) {}

// TestTwinIsAStranger: a second machine with a node's id and certificate, but
// another data directory, never leads and says why.
func TestTwinIsAStranger(t *testing.T) {
	t.Parallel()
	store := servers.Strict3(t)
	p := newPair(t, store, "")
	for _, m := range p.nodes {
		m.start()
	}
	leader, follower, epoch := p.settle()
	twin := *follower
	twin.dir, twin.config, twin.cmd = follower.dir+"2", filepath.Join(p.dir, "twin.hcl"), nil
	twin.api, _ = client.New(filepath.Join(twin.dir, "api.sock"), client.Options{})
	text, err := os.ReadFile(follower.config)
	if err != nil {
		t.Fatal(err)
	}
	twin.write(strings.Replace(strings.Replace(string(text), follower.dir, twin.dir, 1), follower.peer, fmt.Sprintf("127.0.0.1:%d", servers.FreePort(t)), 1))
	twin.start()
	defer twin.end()
	twin.wait("a stranger", func(e client.Election) bool {
		return e.Stranger && strings.Contains(e.Why, "not among the record's electors")
	})
	if e, ok := leader.status(); !ok || !e.Leading || e.Epoch != epoch {
		t.Errorf("a twin of the follower unseated the leader: %+v", e)
	}
}
