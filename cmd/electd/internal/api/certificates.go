package api

import (
	"crypto/tls"
	"crypto/x509"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport/pki"
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
	certificate, err := pki.LoadPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, err
	}
	out := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if c.caFile == "" {
		return out, nil
	}
	authority, err := pki.ReadFile("tls.ca_file", c.caFile)
	if err != nil {
		return nil, err
	}
	out.ClientCAs = x509.NewCertPool()
	if !out.ClientCAs.AppendCertsFromPEM(authority) {
		return nil, &core.AttributeError{Attribute: "tls.ca_file", Problem: c.caFile + " holds no PEM certificate"}
	}
	out.ClientAuth = tls.VerifyClientCertIfGiven
	return out, nil
}

// CheckTLS reports what New would find wrong with the files for TLS, and a
// certificate that clients refuse by now.
func CheckTLS(certFile, keyFile, caFile string) error {
	held, err := (&certificates{certFile: certFile, keyFile: keyFile, caFile: caFile}).read()
	if err != nil {
		return err
	}
	leaf, now := held.Certificates[0].Leaf, time.Now()
	wrong := &core.AttributeError{Attribute: "tls.cert_file", Advice: "renew it: clients refuse it"}
	switch {
	case now.After(leaf.NotAfter):
		wrong.Problem = certFile + " expired on " + leaf.NotAfter.Format(time.DateTime)
	case now.Before(leaf.NotBefore):
		wrong.Problem = certFile + " is good only from " + leaf.NotBefore.Format(time.DateTime) + " on, by this machine's clock"
	default:
		return nil
	}
	return wrong
}
