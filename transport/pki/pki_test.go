package pki

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func made(t *testing.T, dir string, nodes ...Node) Result {
	t.Helper()
	r, err := Init(dir, nodes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func certificate(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(data)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestInitMakesAuthorityAndNodes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "tls")
	r := made(t, dir, Node{ID: "db-a", Hosts: []string{"a.example", "10.0.0.1", "::1"}}, Node{ID: "db-b"})
	if !r.CACreated || len(r.Files) != 6 {
		t.Errorf("got %+v, want a new authority and six files", r)
	}
	for _, path := range r.Files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o644)
		if strings.HasSuffix(path, ".key") {
			want = 0o600
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	_, path, _ := Files(dir, "db-a")
	cert := certificate(t, path)
	if got := strings.Join(cert.DNSNames, " "); got != "db-a a.example" {
		t.Errorf("DNS names %q", got)
	}
	if len(cert.IPAddresses) != 2 || !cert.IPAddresses[0].Equal(net.IPv4(10, 0, 0, 1)) {
		t.Errorf("IP addresses %v", cert.IPAddresses)
	}
	if key, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve.Params().Name != "P-256" {
		t.Errorf("key is a %T, want ECDSA on P-256", cert.PublicKey)
	}
	if left := time.Until(cert.NotAfter); left < DefaultValidity-time.Hour || left > DefaultValidity {
		t.Errorf("good for %v, want %v", left, DefaultValidity)
	}
	if time.Since(cert.NotBefore) < time.Hour {
		t.Error("not yet good on a node whose clock is an hour behind")
	}
}

func TestNodesOfOneAuthorityShakeHands(t *testing.T) {
	dir := t.TempDir()
	made(t, dir, Node{ID: "db-a"})
	if r := made(t, dir, Node{ID: "db-b"}); r.CACreated || len(r.Files) != 2 {
		t.Errorf("adding a node: got %+v, want two files by the existing authority", r)
	}
	if err := handshake(t, config(t, dir, "db-a"), config(t, dir, "db-b")); err != nil {
		t.Error(err)
	}
	other := t.TempDir()
	made(t, other, Node{ID: "db-b"})
	if err := handshake(t, config(t, dir, "db-a"), config(t, other, "db-b")); err == nil {
		t.Error("a node of another authority was accepted")
	}
}

func config(t *testing.T, dir, node string) *tls.Config {
	t.Helper()
	caPath, certPath, keyPath := Files(dir, node)
	cert, err := tls.LoadX509KeyPair(certPath, keyPath)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate(t, caPath))
	return &tls.Config{
		Certificates: []tls.Certificate{cert}, RootCAs: pool, ClientCAs: pool,
		ServerName: "db-a", ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
	}
}

func handshake(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	served := make(chan error, 1)
	go func() {
		conn := tls.Server(a, server)
		err := conn.Handshake()
		if err == nil {
			_, err = io.WriteString(conn, "hello")
		} else {
			a.Close()
		}
		served <- err
	}()
	conn := tls.Client(b, client)
	if err := conn.Handshake(); err != nil {
		b.Close()
		<-served
		return err
	}
	if _, err := io.ReadFull(conn, make([]byte, 5)); err != nil {
		b.Close()
		<-served
		return err
	}
	return <-served
}

func TestInitNeverOverwritesUnasked(t *testing.T) {
	dir := t.TempDir()
	made(t, dir, Node{ID: "db-a"})
	caPath, certPath, keyPath := Files(dir, "db-a")
	before := read(t, caPath, certPath, keyPath)
	_, err := Init(dir, []Node{{ID: "db-b"}, {ID: "db-a"}}, Options{})
	if err == nil || !strings.Contains(err.Error(), certPath) {
		t.Errorf("got %v, want an error that names %s", err, certPath)
	}
	if !bytes.Equal(before, read(t, caPath, certPath, keyPath)) {
		t.Error("files were changed")
	}
	if _, b, _ := Files(dir, "db-b"); exists(b) {
		t.Error("a part of the refused request was carried out")
	}

	if _, err := Init(dir, []Node{{ID: "db-a"}}, Options{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(read(t, certPath, keyPath), before[len(read(t, caPath)):]) {
		t.Error("asked to overwrite, it did not")
	}
	if !bytes.Equal(read(t, caPath), before[:len(read(t, caPath))]) {
		t.Error("the authority was overwritten")
	}
	if info, err := os.Stat(keyPath); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key after overwriting: %v, %v", info.Mode(), err)
	}
}

func read(t *testing.T, paths ...string) (all []byte) {
	t.Helper()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestInitRefusesBadRequests(t *testing.T) {
	for _, test := range []struct {
		name  string
		nodes []Node
		want  string
	}{
		{"no node", nil, "no node named"},
		{"empty id", []Node{{}}, `node id ""`},
		{"path in id", []Node{{ID: "../a"}}, `node id "../a"`},
		{"id of the authority", []Node{{ID: "ca"}}, `"ca"`},
		{"twice", []Node{{ID: "a"}, {ID: "a"}}, "twice"},
		{"host with port", []Node{{ID: "a", Hosts: []string{"10.0.0.1:7400"}}}, "no port"},
		{"host is another node", []Node{{ID: "a", Hosts: []string{"b"}}, {ID: "b"}}, "another node's id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tls")
			_, err := Init(dir, test.nodes, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if exists(dir) {
				t.Error("something was written")
			}
		})
	}
}

func TestInitRefusesADamagedAuthority(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"key missing", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, CAKeyFile)) }, "ca.key is missing"},
		{"certificate missing", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, CAFile)) }, "ca.pem is missing"},
		{"certificate is junk", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, CAFile), []byte("junk"), 0o644)
		}, "ca.pem: no PEM certificate"},
		{"key is junk", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, CAKeyFile), []byte("junk"), 0o600)
		}, "ca.key: no PEM key"},
		{"key of another", func(t *testing.T, dir string) {
			other := t.TempDir()
			made(t, other, Node{ID: "a"})
			os.Rename(filepath.Join(other, CAKeyFile), filepath.Join(dir, CAKeyFile))
		}, "is not the key of"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			made(t, dir, Node{ID: "a"})
			test.damage(t, dir)
			_, err := Init(dir, []Node{{ID: "b"}}, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if _, cert, _ := Files(dir, "b"); exists(cert) {
				t.Error("a certificate was made all the same")
			}
		})
	}
}
