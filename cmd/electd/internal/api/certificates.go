package api

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync"

	"github.com/hashicorp/go-hclog"
)

// certificates are the files for TLS, read anew when one of them changes.
type certificates struct {
	certFile, keyFile, caFile string // caFile may be empty
	log                       hclog.Logger

	mu     sync.Mutex
	stamp  [3]stamp
	config *tls.Config // as of stamp
}

// current returns what the files say now. Files that cannot be used, half
// written perhaps, leave what was read before in force.
func (c *certificates) current(*tls.ClientHelloInfo) (*tls.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := [3]stamp{stampOf(c.certFile), stampOf(c.keyFile), stampOf(c.caFile)}
	if c.config != nil && now == c.stamp {
		return c.config, nil
	}
	config, err := c.read()
	switch {
	case err == nil:
		c.config, c.stamp = config, now
	case c.config == nil:
		return nil, err
	default:
		c.stamp = now // tell it once
		c.log.Error("the API's certificates have changed and cannot be used: the ones before stay", "error", err)
	}
	return c.config, nil
}

func (c *certificates) read() (*tls.Config, error) {
	certPEM, err := readFile("tls.cert_file", c.certFile)
	if err != nil {
		return nil, err
	}
	keyPEM, err := readFile("tls.key_file", c.keyFile)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("api.tls: %w", err)
	}
	out := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if c.caFile == "" {
		return out, nil
	}
	authority, err := readFile("tls.ca_file", c.caFile)
	if err != nil {
		return nil, err
	}
	out.ClientCAs = x509.NewCertPool()
	if !out.ClientCAs.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("api.tls.ca_file %s holds no certificate", c.caFile)
	}
	out.ClientAuth = tls.VerifyClientCertIfGiven
	return out, nil
}
