package bully

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	ca := &authority{t: t, dir: t.TempDir()}
	ca.key, ca.cert = ca.issue("ca", nil)
	return ca
}

func (ca *authority) issue(name string, names []string) (*ecdsa.PrivateKey, *x509.Certificate) {
	ca.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		ca.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names,
		IsCA: ca.key == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	parent, signer := ca.cert, ca.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		ca.t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		ca.t.Fatal(err)
	}
	ca.write(name+".pem", "CERTIFICATE", der)
	ca.write(name+".key", "EC PRIVATE KEY", private)
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		ca.t.Fatal(err)
	}
	return key, cert
}

func (ca *authority) write(name, kind string, der []byte) {
	ca.t.Helper()
	if err := os.WriteFile(filepath.Join(ca.dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		ca.t.Fatal(err)
	}
}

// files returns the configuration of a node with a certificate in the given name.
func (ca *authority) files(name string) *TLS {
	return &TLS{
		CAFile:   filepath.Join(ca.dir, "ca.pem"),
		CertFile: filepath.Join(ca.dir, name+".pem"), KeyFile: filepath.Join(ca.dir, name+".key"),
	}
}

// withTLS gives every voter a certificate of its own.
func (c *cluster) withTLS() *authority {
	ca := newAuthority(c.t)
	for _, node := range c.voters {
		ca.issue(node, []string{node})
	}
	before := c.config
	c.config = func(config *Config) {
		config.Insecure, config.TLS = false, ca.files(config.Node)
		before(config)
	}
	return ca
}

func TestVotesUnderMutualTLS(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.withTLS()
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")
	c.expect("b", lease, "one", v)
}

func TestCertificateInAnotherNameIsRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	ca := c.withTLS()
	honest := c.config
	c.config = func(config *Config) {
		honest(config)
		config.TLS = ca.files("b")
	}
	c.refuses("a", "tls.cert_file", `is in the name of b, not of "a"`)
}

// Whoever answers at c's address without being c is not counted as c, with
// certificates and without.
func TestOneVoterNeverVotesInTwoNames(t *testing.T) {
	for name, secure := range map[string]bool{"with certificates": true, "in the clear": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 5)
			if secure {
				c.withTLS()
			}
			c.start("a", "b", "c", "d", "e")
			c.ready()
			c.stop("a", "c", "d", "e")
			_, port, err := net.SplitHostPort(c.address["b"])
			if err != nil {
				t.Fatal(err)
			}
			for node, host := range map[string]string{"c": "localhost", "d": "Localhost", "e": "LOCALHOST"} {
				c.address[node] = net.JoinHostPort(host, port) // one address twice is refused
			}
			c.start("a")
			if _, ok := c.may("a", "", "one"); ok {
				t.Error("b's vote was counted more than once")
			}
			c.problem("a", "c does not answer")
		})
	}
}

// The certificates of all nodes are replaced by those of another authority while
// the cluster votes: a node that starts with nothing but the new one is heard.
func TestCertificatesFollowTheirFiles(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	old := c.withTLS()
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")

	renewed := newAuthority(t)
	for _, node := range c.voters {
		renewed.issue(node, []string{node})
	}
	both := append(old.read("ca.pem"), renewed.read("ca.pem")...)
	old.replace("ca.pem", both)
	for _, node := range []string{"a", "b"} {
		old.replace(node+".pem", renewed.read(node+".pem"))
		old.replace(node+".key", renewed.read(node+".key"))
	}
	c.stop("c")
	configured := c.config
	c.config = func(config *Config) {
		configured(config)
		if config.Node == "c" {
			config.TLS = renewed.files("c") // trusts the new authority alone
		}
	}
	c.start("c")
	c.stop("b")
	eventually(t, "a and c elect", func() error {
		next, err := c.swap("a", lease, v, "two")
		if core.WriteOutcome(err) == core.Unknown {
			t.Fatal(err)
		}
		if err == nil {
			v = next
		}
		return err
	})
	c.expect("c", lease, "two", v)
}

// Files that are no good are named, and what they held before goes on serving.
func TestSpoiltCertificateFilesAreNotUsed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	ca := c.withTLS()
	c.start("a", "b", "c")
	c.ready()
	good := ca.read("a.pem")
	for _, spoilt := range []struct{ content, says string }{
		{"not a certificate", "does not load together with key_file"},
		{string(ca.read("b.pem")), "does not load together with key_file"},
	} {
		ca.replace("a.pem", []byte(spoilt.content))
		c.problem("a", "the changed certificate files are not used")
		c.problem("a", spoilt.says)
	}
	c.stop("b")
	c.start("b") // its calls, and those to it, need new handshakes
	c.stop("c")
	c.mustSwap("a", lease, "", "one")
	ca.replace("a.pem", good)
	eventually(t, "the problem is over", func() error {
		if all := strings.Join(c.nodes["a"].Problems(), "\n"); strings.Contains(all, "certificate") {
			return errors.New(all)
		}
		return nil
	})
}

// A certificate that ran out is named by its own node.
func TestExpiredCertificateIsNamed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.withTLS()
	c.start("a", "b", "c")
	c.ready()
	proof := c.nodes["a"].proof
	proof.mu.Lock()
	held, leaf := *proof.held, *proof.held.leaf
	leaf.NotAfter = time.Now().Add(-time.Minute)
	held.leaf = &leaf
	proof.held = &held
	proof.mu.Unlock()
	c.problem("a", "no new connection of this voter succeeds")
}

func (ca *authority) read(name string) []byte {
	ca.t.Helper()
	content, err := os.ReadFile(filepath.Join(ca.dir, name))
	if err != nil {
		ca.t.Fatal(err)
	}
	return content
}

// replace puts a new file in the place of the old one, as an operator's tool does.
func (ca *authority) replace(name string, content []byte) {
	ca.t.Helper()
	path := filepath.Join(ca.dir, name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		ca.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		ca.t.Fatal(err)
	}
}
