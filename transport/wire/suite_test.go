package wire

import (
	"os"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/transport"
	"github.com/electd/electd/transport/pki"
	"github.com/electd/electd/transport/transporttest"
)

// mesh is a network of transports over loopback TCP, every connection through
// a proxy of its own.
type mesh struct {
	interval time.Duration
	nodes    []string
	dir      string // of certificates; empty: insecure
	proxies  map[[2]string]*proxy
}

func newMesh(t *testing.T, dir string, interval time.Duration, nodes ...string) *mesh {
	t.Helper()
	m := &mesh{interval: interval, nodes: nodes, dir: dir, proxies: map[[2]string]*proxy{}}
	for _, from := range nodes {
		for _, to := range nodes {
			if from != to {
				m.proxies[[2]string{from, to}] = newProxy(t)
			}
		}
	}
	return m
}

func (m *mesh) config(node string) Config {
	c := Config{Node: node, Listen: "127.0.0.1:0", Insecure: m.dir == "", Interval: m.interval, Log: logger()}
	if m.dir != "" {
		c.TLS = files(m.dir, node)
	}
	for _, to := range m.nodes {
		if to != node {
			c.Peers = append(c.Peers, Peer{Node: to, Address: m.proxies[[2]string{node, to}].address()})
		}
	}
	return c
}

func (m *mesh) open(t *testing.T, node string) *Transport {
	t.Helper()
	opened, err := New(m.config(node))
	if err != nil {
		t.Fatal(err)
	}
	for route, p := range m.proxies {
		if route[1] == node {
			p.aim(opened.Addr().String())
		}
	}
	return opened
}

func (m *mesh) Open(t *testing.T, node string) transport.Transport { return m.open(t, node) }
func (m *mesh) Cut(a, b string)                                    { m.shut(a, b, true) }
func (m *mesh) Heal(a, b string)                                   { m.shut(a, b, false) }

func (m *mesh) shut(a, b string, shut bool) {
	m.proxies[[2]string{a, b}].gate.set(shut)
	m.proxies[[2]string{b, a}].gate.set(shut)
}

// logger prints when the tests are asked to.
func logger() hclog.Logger {
	if os.Getenv("ELECTD_TEST_LOG") == "" {
		return nil
	}
	return hclog.New(&hclog.LoggerOptions{Level: hclog.Debug})
}

func certificates(t testing.TB, nodes ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	issue(t, dir, pki.Options{}, nodes...)
	return dir
}

func issue(t testing.TB, dir string, o pki.Options, nodes ...string) {
	t.Helper()
	var wanted []pki.Node
	for _, node := range nodes {
		wanted = append(wanted, pki.Node{ID: node})
	}
	if _, err := pki.Init(dir, wanted, o); err != nil {
		t.Fatal(err)
	}
}

func files(dir, node string) TLS {
	ca, cert, key := pki.Files(dir, node)
	return TLS{CAFile: ca, CertFile: cert, KeyFile: key}
}

func TestTransport(t *testing.T) {
	for name, dir := range map[string]string{"tls": certificates(t, "a", "b", "c"), "insecure": ""} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(t *testing.T, interval time.Duration, nodes ...string) transporttest.Net {
				return newMesh(t, dir, interval, nodes...)
			})
		})
	}
}

// TestTransportCutInside runs the suite with the transports' own Cut in place
// of a network that is cut.
func TestTransportCutInside(t *testing.T) {
	dir := certificates(t, "a", "b", "c")
	transporttest.Run(t, func(t *testing.T, interval time.Duration, nodes ...string) transporttest.Net {
		return &selfCut{mesh: newMesh(t, dir, interval, nodes...), at: map[string]*Transport{}}
	})
}

type selfCut struct {
	*mesh
	at map[string]*Transport
}

func (s *selfCut) Open(t *testing.T, node string) transport.Transport {
	s.at[node] = s.mesh.open(t, node)
	return s.at[node]
}
func (s *selfCut) Cut(a, b string)  { s.at[a].Cut(b, true) } // one side suffices
func (s *selfCut) Heal(a, b string) { s.at[a].Cut(b, false) }
