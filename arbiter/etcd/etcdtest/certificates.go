package etcdtest

import (
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
	"testing"
	"time"
)

// Certificates are PEM files of an authority and of two it vouches for.
type Certificates struct {
	CA                    string
	ServerCert, ServerKey string // for 127.0.0.1
	ClientCert, ClientKey string
}

// NewCertificates makes an authority and both certificates.
func NewCertificates(t testing.TB) Certificates {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	c := Certificates{
		CA:         file("ca.pem"),
		ServerCert: file("server.pem"), ServerKey: file("server.key"),
		ClientCert: file("client.pem"), ClientKey: file("client.key"),
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newKey(t)
	writeCertificate(t, c.CA, authority, authority, key, key)
	for i, leaf := range []struct{ name, cert, key string }{{"server", c.ServerCert, c.ServerKey}, {"client", c.ClientCert, c.ClientKey}} {
		leafKey := newKey(t)
		writeCertificate(t, leaf.cert, &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 2)), Subject: pkix.Name{CommonName: leaf.name},
			NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
			KeyUsage:    x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		}, authority, leafKey, key)
		der, err := x509.MarshalPKCS8PrivateKey(leafKey)
		if err != nil {
			t.Fatal(err)
		}
		writePEM(t, leaf.key, "PRIVATE KEY", der)
	}
	return c
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func writeCertificate(t testing.TB, file string, c, issuer *x509.Certificate, key, issuerKey *ecdsa.PrivateKey) {
	der, err := x509.CreateCertificate(rand.Reader, c, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, file, "CERTIFICATE", der)
}

func writePEM(t testing.TB, file, kind string, der []byte) {
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
