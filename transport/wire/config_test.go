package wire

import (
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// TestNewRefuses checks that each mistake is named once, clearly, with what is
// to blame and what to do.
func TestNewRefuses(t *testing.T) {
	dir, other := certificates(t, "a", "b"), certificates(t, "a")
	good := files(dir, "a")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.pem")
	b := []Peer{{Node: "b", Address: "127.0.0.1:7400"}}
	made := func(change func(*x509.Certificate)) TLS { return selfMade(t, "a", change).files() }

	for _, test := range []struct {
		name      string
		change    func(*Config)
		attribute string
		want      []string
	}{
		{"no id", func(c *Config) { c.Node = "" }, "node.id", []string{"missing"}},
		{"no listen", func(c *Config) { c.Listen = "" }, "listen", []string{`"" is not host:port`, "10.0.0.1:7400"}},
		{"listen without port", func(c *Config) { c.Listen = "127.0.0.1" }, "listen", []string{`"127.0.0.1" is not host:port`}},
		{"port out of range", func(c *Config) { c.Listen = "127.0.0.1:74000" }, "listen", []string{"between 1 and 65535"}},
		{"port in use", func(c *Config) { c.Listen = busy.Addr().String() }, "listen", []string{busy.Addr().String(), "address already in use", "another program"}},
		{"address elsewhere", func(c *Config) { c.Listen = "192.0.2.1:0" }, "listen", []string{"192.0.2.1:0", "an address of this machine"}},
		{"peer without id", func(c *Config) { c.Peers = []Peer{{Address: "127.0.0.1:1"}} }, "peer", []string{"no node id"}},
		{"peer is itself", func(c *Config) { c.Peers = []Peer{{Node: "a", Address: "127.0.0.1:1"}} }, `peer "a"`, []string{"own id"}},
		{"peer twice", func(c *Config) { c.Peers = append(b, b...) }, `peer "b"`, []string{"twice"}},
		{"peer without host", func(c *Config) { c.Peers = []Peer{{Node: "b", Address: ":7400"}} }, `peer "b".address`, []string{"names no host"}},
		{"peer with port 0", func(c *Config) { c.Peers = []Peer{{Node: "b", Address: "127.0.0.1:0"}} }, `peer "b".address`, []string{"no port"}},
		{"neither tls nor insecure", func(c *Config) { c.TLS = TLS{} }, "tls.ca_file", []string{"missing", "tls init", "insecure"}},
		{"both", func(c *Config) { c.Insecure = true }, "insecure", []string{"together with tls"}},
		{"insecure everywhere", func(c *Config) { c.TLS, c.Insecure, c.Listen = TLS{}, true, ":0" }, "listen", []string{"not a loopback address", "plain text", "tls init"}},
		{"insecure elsewhere", func(c *Config) {
			c.TLS, c.Insecure, c.Peers = TLS{}, true, []Peer{{Node: "b", Address: "10.0.0.2:7400"}}
		}, `peer "b".address`, []string{"10.0.0.2:7400", "not a loopback address"}},
		{"insecure to a name", func(c *Config) {
			c.TLS, c.Insecure, c.Peers = TLS{}, true, []Peer{{Node: "b", Address: "localhost.example:7400"}}
		}, `peer "b".address`, []string{"not a loopback address"}},
		{"no key file named", func(c *Config) { c.TLS.KeyFile = "" }, "tls.key_file", []string{"missing"}},
		{"ca missing", func(c *Config) { c.TLS.CAFile = missing }, "tls.ca_file", []string{missing, "no such file", "tls init"}},
		{"cert missing", func(c *Config) { c.TLS.CertFile = missing }, "tls.cert_file", []string{missing, "no such file"}},
		{"key missing", func(c *Config) { c.TLS.KeyFile = missing }, "tls.key_file", []string{missing, "no such file"}},
		{"ca is junk", func(c *Config) { c.TLS.CAFile = junk }, "tls.ca_file", []string{junk, "no PEM certificate"}},
		{"cert is junk", func(c *Config) { c.TLS.CertFile = junk }, "tls.cert_file", []string{junk, "no usable certificate"}},
		{"key is junk", func(c *Config) { c.TLS.KeyFile = junk }, "tls.key_file", []string{junk, "no usable key"}},
		{"cert and key swapped", func(c *Config) { c.TLS.CertFile, c.TLS.KeyFile = c.TLS.KeyFile, c.TLS.CertFile }, "tls.cert_file", []string{"no usable certificate", "switched"}},
		{"key of another", func(c *Config) { c.TLS.KeyFile = files(dir, "b").KeyFile }, "tls.key_file", []string{files(dir, "b").KeyFile, "not the key of"}},
		{"certificate of another node", func(c *Config) { c.TLS = files(dir, "b") }, "tls.cert_file", []string{`["b"]`, `this node's id "a"`, "tls init"}},
		{"another authority", func(c *Config) { c.TLS.CAFile = files(other, "a").CAFile }, "tls.ca_file", []string{files(other, "a").CAFile, good.CertFile, "signed"}},
		{"expired", func(c *Config) {
			c.TLS = made(func(x *x509.Certificate) { x.NotAfter = time.Now().Add(-time.Hour) })
		}, "tls.cert_file", []string{"expired on", "tls init"}},
		{"not good yet", func(c *Config) {
			c.TLS = made(func(x *x509.Certificate) { x.NotBefore = time.Now().Add(time.Hour) })
		}, "tls.cert_file", []string{"good only from", "clock"}},
		{"for servers only", func(c *Config) {
			c.TLS = made(func(x *x509.Certificate) { x.ExtKeyUsage = x.ExtKeyUsage[:1] })
		}, "tls.cert_file", []string{"as a client's"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Config{Node: "a", Listen: "127.0.0.1:0", TLS: good, Peers: b}
			test.change(&c)
			opened, err := New(c)
			if err == nil {
				opened.Close()
				t.Fatal("it was accepted")
			}
			var wrong *core.AttributeError
			if !errors.As(err, &wrong) || wrong.Attribute != test.attribute {
				t.Errorf("got %v, want an error of attribute %s", err, test.attribute)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			t.Log(err)
		})
	}
}

func TestInsecureMayBeForced(t *testing.T) {
	start(t, Config{Node: "a", Listen: ":0", Insecure: true, ForceInsecure: true, Peers: []Peer{{Node: "b", Address: "192.0.2.1:7400"}}})
	start(t, Config{Node: "a", Listen: "[::1]:0", Insecure: true, Peers: []Peer{{Node: "b", Address: "localhost:7400"}, {Node: "c", Address: "127.9.9.9:7400"}}})
}

func TestAnOpenKeyIsWarnedAbout(t *testing.T) {
	dir := certificates(t, "a")
	if err := os.Chmod(files(dir, "a").KeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	var log script
	start(t, Config{Node: "a", TLS: files(dir, "a"), Log: log.logger()})
	if log.count("chmod 600 "+files(dir, "a").KeyFile) != 1 {
		t.Errorf("no warning:\n%s", &log)
	}
}
