package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

var errNoAuthority = errors.New("no certificate authority here")

// head start of a certificate, for nodes whose clocks are behind.
const headStart = 24 * time.Hour

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "electd certificate authority"},
		NotBefore:             now.Add(-headStart),
		NotAfter:              now.Add(caValidity),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return authority{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return authority{cert: cert, key: key}, err
}

// loadAuthority returns errNoAuthority if dir holds neither of its files.
func loadAuthority(dir string) (authority, error) {
	certPath, keyPath := filepath.Join(dir, CAFile), filepath.Join(dir, CAKeyFile)
	certPEM, certErr := os.ReadFile(certPath)
	keyPEM, keyErr := os.ReadFile(keyPath)
	noCert, noKey := errors.Is(certErr, fs.ErrNotExist), errors.Is(keyErr, fs.ErrNotExist)
	switch {
	case noCert && noKey:
		return authority{}, errNoAuthority
	case noKey:
		return authority{}, fmt.Errorf("%s is missing while %s exists: certificates can only be added where the authority's key is; copy it here, or use another directory for a new authority", keyPath, certPath)
	case noCert:
		return authority{}, fmt.Errorf("%s is missing while %s exists: copy it here from any node, or use another directory for a new authority", certPath, keyPath)
	case certErr != nil:
		return authority{}, certErr
	case keyErr != nil:
		return authority{}, keyErr
	}
	certBlock, _ := pem.Decode(certPEM)
	if certBlock == nil || certBlock.Type != "CERTIFICATE" {
		return authority{}, fmt.Errorf("%s: no PEM certificate in it", certPath)
	}
	cert, err := x509.ParseCertificate(certBlock.Bytes)
	if err != nil {
		return authority{}, fmt.Errorf("%s: %w", certPath, err)
	}
	keyBlock, _ := pem.Decode(keyPEM)
	if keyBlock == nil {
		return authority{}, fmt.Errorf("%s: no PEM key in it", keyPath)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(keyBlock.Bytes)
	if err != nil {
		return authority{}, fmt.Errorf("%s: not a PKCS #8 key: %w", keyPath, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	switch {
	case !ok:
		return authority{}, fmt.Errorf("%s: holds a %T, want an ECDSA key as this command makes it", keyPath, parsed)
	case !key.PublicKey.Equal(cert.PublicKey):
		return authority{}, fmt.Errorf("%s is not the key of %s", keyPath, certPath)
	case !cert.IsCA:
		return authority{}, fmt.Errorf("%s is not a certificate authority's", certPath)
	case time.Now().After(cert.NotAfter):
		return authority{}, fmt.Errorf("%s expired on %s: use another directory for a new authority", certPath, cert.NotAfter.Format(time.DateOnly))
	}
	return authority{cert: cert, key: key}, nil
}

// issue makes the certificate of one node, good as server and as client.
func (a authority) issue(dir string, node Node, validity time.Duration) ([]file, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: node.ID},
		NotBefore:             now.Add(-headStart),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{node.ID},
	}
	if template.NotAfter.After(a.cert.NotAfter) {
		template.NotAfter = a.cert.NotAfter
	}
	for _, host := range node.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if !slices.Contains(template.DNSNames, host) {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", node.ID, err)
	}
	_, certPath, keyPath := Files(dir, node.ID)
	return pair(certPath, der, keyPath, key)
}

func (a authority) files(dir string) []file {
	files, err := pair(filepath.Join(dir, CAFile), a.cert.Raw, filepath.Join(dir, CAKeyFile), a.key)
	if err != nil {
		panic(err) // a key just made can be marshalled
	}
	return files
}

// pair encodes a key and its certificate, the key first: a certificate that is
// there has its key.
func pair(certPath string, der []byte, keyPath string, key *ecdsa.PrivateKey) ([]file, error) {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return []file{
		{keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600},
		{certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644},
	}, nil
}
