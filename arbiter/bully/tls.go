package bully

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// load reads the files. Its errors are *core.AttributeError.
func (t *TLS) load() (*tls.Config, error) {
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
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, wrong("tls.ca_file", fmt.Sprintf("%s holds no PEM certificate", t.CAFile), "", nil)
	}
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, wrong("tls.cert_file", "does not load together with key_file", "both must be PEM, and belong together", err)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{certificate},
		RootCAs:      authorities,
		ClientCAs:    authorities,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	}, nil
}

// serverCredentials are those of the vote listener: any node of the authority
// may ask, as joiners may stand and read.
func (c Config) serverCredentials() (credentials.TransportCredentials, error) {
	if c.TLS == nil {
		return insecure.NewCredentials(), nil
	}
	config, err := c.TLS.load()
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(config), nil
}

// clientCredentials accept none but the named voter at the other end.
func (c Config) clientCredentials(voter string) (credentials.TransportCredentials, error) {
	if c.TLS == nil {
		return insecure.NewCredentials(), nil
	}
	config, err := c.TLS.load()
	if err != nil {
		return nil, err
	}
	config.ServerName = voter
	return credentials.NewTLS(config), nil
}
