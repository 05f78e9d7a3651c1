package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// secure gives the transport to an address what the files hold. The certificate
// is read anew with every connection: a client may live longer than it.
func (o *Options) secure(address string, transport *http.Transport) error {
	if o.CAFile == "" && o.CertFile == "" && o.KeyFile == "" {
		return nil
	}
	if !strings.HasPrefix(address, "https://") {
		return fmt.Errorf("API address %q: certificates are for https://host:port", address)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		text, err := os.ReadFile(o.CAFile)
		if err != nil {
			return fmt.Errorf("the API's authority: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("the API's authority: %s holds no PEM certificate", o.CAFile)
		}
	}
	switch {
	case o.CertFile == "" && o.KeyFile != "":
		return fmt.Errorf("key %s without a certificate", o.KeyFile)
	case o.CertFile != "" && o.KeyFile == "":
		return fmt.Errorf("certificate %s without its key", o.CertFile)
	case o.CertFile != "":
		if _, err := o.certificate(); err != nil {
			return err
		}
		// Always shown: one that the daemon does not take is then refused, not ignored.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return o.certificate() }
	}
	transport.TLSClientConfig = config
	return nil
}

func (o *Options) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", o.CertFile, o.KeyFile, err)
	}
	return &pair, nil
}

// explain says whose certificate a connection failed for.
func (o *Options) explain(base string, err error) error {
	var unverified *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &unknown) && o.CAFile != "":
		return fmt.Errorf("the certificate of %s is signed by no authority in %s: %w", base, o.CAFile, err)
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of %s is signed by no authority that this machine knows; name the file of the one that did: %w", base, err)
	case errors.As(err, &unverified):
		return fmt.Errorf("the certificate of %s is not good: %w", base, err)
	case o.CertFile != "" && strings.Contains(err.Error(), "remote error: tls:"):
		return fmt.Errorf("%s does not take the certificate %s: %w", base, o.CertFile, err)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("%s speaks plain HTTP; ask it as http:// if that is meant to be so: %w", base, err)
	}
	return err
}
