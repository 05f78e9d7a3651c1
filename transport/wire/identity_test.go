package wire

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/internal/servers"
	"github.com/electd/electd/transport/pki"
)

// script is a log that can be searched.
type script struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *script) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(strings.ReplaceAll(s.b.String(), `\"`, `"`), text)
}

func (s *script) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *script) logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: s, Level: hclog.Debug})
}

// start opens a node that ends with the test.
func start(t *testing.T, c Config) *Transport {
	t.Helper()
	if c.Interval == 0 {
		c.Interval = 50 * time.Millisecond
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	opened, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

// TestPeersAreRefused has node a dial something that must not pass for b.
func TestPeersAreRefused(t *testing.T) {
	dir, elsewhere := certificates(t, "a", "b", "c"), certificates(t, "b")
	expired := selfMade(t, "b", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) })
	toA := []Peer{{Node: "a", Address: "127.0.0.1:1"}}
	for _, test := range []struct {
		name  string
		there func(t *testing.T) (address string) // what listens at b's address
		tls   TLS                                 // of a, if not dir's
		want  string                              // in a's error
	}{
		{"nobody", func(t *testing.T) string { return "127.0.0.1:1" }, TLS{}, "connection refused"},
		{"another node", func(t *testing.T) string {
			return start(t, Config{Node: "c", TLS: files(dir, "c"), Peers: toA}).Addr().String()
		}, TLS{}, `the certificate there is for ["c"], not for node "b"`},
		{"another authority", func(t *testing.T) string {
			return start(t, Config{Node: "b", TLS: files(elsewhere, "b"), Peers: toA}).Addr().String()
		}, TLS{}, "is from no authority in " + filepath.Join(dir, "ca.pem")},
		{"a node that does not know us", func(t *testing.T) string {
			return start(t, Config{Node: "b", TLS: files(dir, "b")}).Addr().String()
		}, TLS{}, `node "a" is no peer in the configuration of node "b"`},
		{"plain text", func(t *testing.T) string {
			return start(t, Config{Node: "b", Insecure: true, Peers: toA}).Addr().String()
		}, TLS{}, "does not speak TLS"},
		{"a server that says nothing", func(t *testing.T) string {
			silent, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { silent.Close() })
			return silent.Addr().String()
		}, TLS{}, "nothing there answered"},
		{"a server that ends the connection", func(t *testing.T) string {
			return servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 64<<10)) })
		}, TLS{}, "ended the connection in the TLS handshake"},
		{"a server that resets the connection", func(t *testing.T) string {
			return servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) })
		}, TLS{}, "ended the connection in the TLS handshake"},
		{"an expired certificate", func(t *testing.T) string {
			b := start(t, Config{Node: "b", TLS: files(dir, "b"), Peers: toA})
			b.identity.mu.Lock()
			b.identity.held = expired.material(t) // it expired while b ran
			b.identity.mu.Unlock()
			return b.Addr().String()
		}, TLS{CAFile: expired.ca, CertFile: files(dir, "a").CertFile, KeyFile: files(dir, "a").KeyFile}, "it is " + time.Now().Format(time.DateOnly)},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Config{Node: "a", TLS: files(dir, "a"), Peers: []Peer{{Node: "b", Address: test.there(t)}}}
			if test.tls != (TLS{}) { // an authority that the start-up check of a's own certificate accepts
				both := filepath.Join(t.TempDir(), "both.pem")
				if err := os.WriteFile(both, append(contents(t, test.tls.CAFile), contents(t, files(dir, "a").CAFile)...), 0o644); err != nil {
					t.Fatal(err)
				}
				c.TLS.CAFile = both
			}
			a := start(t, c)
			r := &record{}
			a.Join("e", r)
			// r is not told of a refusal that came before it had joined.
			eventually(t, "a is refused", func() bool { return a.Peers()[0].Err != errNotDialled })
			why := a.Peers()[0].Err
			if why == nil || !strings.Contains(why.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", why, test.want)
			}
			t.Log(why)
			if r.ups() != 0 || a.Peers()[0].Connected {
				t.Error("it was believed to be b")
			}
		})
	}
}

// A port that is knocked at, by a load balancer's check say, is no news, however
// the knocking ends.
func TestKnockingIsNoNews(t *testing.T) {
	var log script
	b := start(t, Config{Node: "b", TLS: files(certificates(t, "b"), "b"), Peers: []Peer{{Node: "a", Address: "127.0.0.1:1"}}, Log: log.logger()})
	for _, linger := range []int{0, 1} { // a reset, and an end
		c, err := net.Dial("tcp", b.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.(*net.TCPConn).SetLinger(linger); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	// What is no knocking is news, the first of its host.
	c, err := net.Dial("tcp", b.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	const told = "connection refused: from="
	eventually(t, "b tells of a stranger", func() bool { return log.count(told) > 0 })
	if log.count(told) != 1 || log.count("does not look like a TLS handshake") != 1 {
		t.Errorf("b told of a knock:\n%s", &log)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// signed are the files of a certificate that pki would not make.
type signed struct {
	node          string
	ca, cert, key string
}

func (s signed) files() TLS { return TLS{CAFile: s.ca, CertFile: s.cert, KeyFile: s.key} }

// material reads the files without the checks that would refuse them.
func (s signed) material(t *testing.T) *material {
	t.Helper()
	m, err := reading(s.files())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// selfMade writes a certificate of an authority of its own, changed by change.
func selfMade(t *testing.T, node string, change func(*x509.Certificate)) signed {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	caKey, leafKey := key(), key()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: node},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	change(leaf)
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, leafKey.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := signed{node: node, ca: filepath.Join(dir, "ca.pem"), cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "cert.key")}
	for path, block := range map[string]*pem.Block{
		s.ca:   {Type: "CERTIFICATE", Bytes: caDER},
		s.cert: {Type: "CERTIFICATE", Bytes: leafDER},
		s.key:  {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestCallersAreRefused has a caller that is not what b wants: b's log and the
// caller both say why.
func TestCallersAreRefused(t *testing.T) {
	dir, elsewhere := certificates(t, "a", "b", "c"), certificates(t, "a", "b")
	for _, test := range []struct {
		name          string
		caller        Config
		there         string // in the caller's error
		here          string // in b's log
		insecureThere bool
	}{
		{"insecure", Config{Node: "a", Insecure: true}, "is tls configured there", "first record does not look like a TLS handshake", false},
		{"insecure, and another node", Config{Node: "c", Insecure: true}, `node "c" is no peer`, `node "c" is no peer`, true},
		{"insecure, and b's own id", Config{Node: "b", Insecure: true}, "own id", "own id", true},
		{"no peer", Config{Node: "c", TLS: files(dir, "c")}, `node "c" is no peer`, `node "c" is no peer`, false},
		{"b's own id", Config{Node: "b", TLS: files(dir, "b")}, "own id", "own id", false},
		{"another authority", Config{Node: "a", TLS: TLS{CAFile: files(dir, "a").CAFile, CertFile: files(elsewhere, "a").CertFile, KeyFile: files(elsewhere, "a").KeyFile}}, "it refused our certificate", `for ["a"], is from no authority`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log script
			at := Config{Node: "b", TLS: files(dir, "b"), Peers: []Peer{{Node: "a", Address: "127.0.0.1:1"}}, Log: log.logger()}
			if test.insecureThere {
				at.TLS, at.Insecure = TLS{}, true
			}
			b := start(t, at)
			// The caller believes to dial "b" whatever it calls itself.
			c := &Transport{node: test.caller.Node, interval: 50 * time.Millisecond, log: hclog.NewNullLogger()}
			if !test.caller.Insecure {
				held, err := reading(test.caller.TLS)
				if err != nil {
					t.Fatal(err)
				}
				c.identity = &identity{node: test.caller.Node, files: test.caller.TLS, log: c.log, held: held, seen: stat(test.caller.TLS)}
			}
			l := newLink(c, &peer{node: "b", address: b.Addr().String(), cut: newGate()})
			_, err := l.dial(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.there) {
				t.Errorf("the caller got %v, want an error with %q", err, test.there)
			}
			eventually(t, "b says "+test.here, func() bool { return log.count(test.here) == 1 })
			if c := b.Counters()[0]; c.FramesReceived != 0 {
				t.Error("b took a frame for the peer's")
			}
			t.Logf("%v\n%s", err, &log)
		})
	}
}

// TestACommonNameWillDo is for certificates without a name of the newer kind.
func TestACommonNameWillDo(t *testing.T) {
	made := selfMade(t, "a", func(*x509.Certificate) {})
	start(t, Config{Node: "a", TLS: made.files()})
}

// TestChangedFilesAreUsed replaces a's certificate, and then the authority, of
// running nodes.
func TestChangedFilesAreUsed(t *testing.T) {
	dir := certificates(t, "a", "b")
	m := newMesh(t, dir, 50*time.Millisecond, "a", "b")
	a, b, _ := pairOf(t, m)
	defer a.Close()
	defer b.Close()
	before, _ := a.CertificateExpires()
	issue(t, dir, pki.Options{Overwrite: true, Validity: 24 * time.Hour}, "a")
	after, _ := a.CertificateExpires()
	if !after.Before(before) || time.Until(after) > 25*time.Hour {
		t.Errorf("the certificate in use ends %v, that in the file in 24 h; the former one ended %v", after, before)
	}
	if c := a.Counters()[0]; c.Connects != 1 {
		t.Errorf("connected %d times: a connection that stands must be kept", c.Connects)
	}

	other := certificates(t, "a", "b") // a new authority, over the files of the old one
	for _, name := range []string{"ca.pem", "a.pem", "a.key", "b.pem", "b.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), contents(t, filepath.Join(other, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	back := m.open(t, "b")
	defer back.Close()
	eventually(t, "the nodes connect with certificates of the new authority", func() bool {
		return a.Peers()[0].Connected && back.Peers()[0].Connected
	})
}

// TestBadFilesAreNotUsed changes a running node's files to ones that do not fit
// together, as happens while they are being replaced.
func TestBadFilesAreNotUsed(t *testing.T) {
	dir := certificates(t, "a", "b")
	var log script
	a := start(t, Config{Node: "a", TLS: files(dir, "a"), Log: log.logger()})
	before, _ := a.CertificateExpires()
	good := contents(t, files(dir, "a").KeyFile)
	if err := os.WriteFile(files(dir, "a").KeyFile, contents(t, files(dir, "b").KeyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if after, _ := a.CertificateExpires(); !after.Equal(before) {
			t.Error("the certificate in use changed")
		}
	}
	if n := log.count("is not the key of"); n != 1 {
		t.Errorf("said %d times, want once, what is wrong:\n%s", n, &log)
	}
	if err := os.WriteFile(files(dir, "a").KeyFile, good, 0o600); err != nil {
		t.Fatal(err)
	}
	a.CertificateExpires()
	if log.count("certificate files read") != 1 {
		t.Errorf("the repaired files were not read:\n%s", &log)
	}
}
