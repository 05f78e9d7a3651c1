package bully

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
)

// material is one consistent reading of the files.
type material struct {
	certificate tls.Certificate
	leaf        *x509.Certificate
	authorities *x509.CertPool
}

// material reads the files and checks that they can work for this node. Its
// errors are *core.AttributeError.
func (c Config) material() (*material, error) {
	t := c.TLS
	for _, f := range []struct{ name, path string }{
		{"tls.ca_file", t.CAFile}, {"tls.cert_file", t.CertFile}, {"tls.key_file", t.KeyFile},
	} {
		if f.path == "" {
			return nil, wrong(f.name, "is missing", "`electd tls init` makes one", nil)
		}
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, wrong("tls.ca_file", "cannot be read", "", err)
	}
	m := &material{authorities: x509.NewCertPool()}
	if !m.authorities.AppendCertsFromPEM(pem) {
		return nil, wrong("tls.ca_file", fmt.Sprintf("%s holds no PEM certificate", t.CAFile), "", nil)
	}
	if m.certificate, err = tls.LoadX509KeyPair(t.CertFile, t.KeyFile); err != nil {
		return nil, wrong("tls.cert_file", "does not load together with key_file", "both must be PEM, and belong together", err)
	}
	m.leaf = m.certificate.Leaf
	if m.leaf.VerifyHostname(c.Node) != nil {
		return nil, wrong("tls.cert_file", fmt.Sprintf("is in the name of %s, not of %q", strings.Join(m.leaf.DNSNames, ", "), c.Node),
			"each node needs a certificate whose subject alternative name is its node id", nil)
	}
	return m, nil
}

// config is for one handshake, with the named voter at the other end.
func (m *material) config(voter string) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{m.certificate},
		RootCAs:      m.authorities,
		ClientCAs:    m.authorities,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ServerName:   voter,
	}
}
