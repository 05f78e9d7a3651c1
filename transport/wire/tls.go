package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"
)

// client is the configuration for dialling a node. The peer is known by its
// node id, not by the address it was dialled at, so it is verified here instead
// of by the library's rules for host names.
func (i *identity) client(node string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		NextProtos:         []string{"h2"},
		InsecureSkipVerify: true, // VerifyConnection verifies
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &i.now().cert, nil
		},
		VerifyConnection: func(state tls.ConnectionState) error {
			leaf, err := i.verify(state, x509.ExtKeyUsageServerAuth)
			if err != nil {
				return err
			}
			if !slices.Contains(names(leaf), node) {
				return fmt.Errorf("the certificate there is for %q, not for node %q: correct the peer's address, or give that node a certificate of its own name", names(leaf), node)
			}
			return nil
		},
	}
}

// server is the configuration for being dialled. Which peer it is, and whether
// that is one of ours, is asked later, by the name in the certificate.
func (i *identity) server() *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{"h2"},
		SessionTicketsDisabled: true, // a changed ca_file counts for every new connection
		ClientAuth:             tls.RequireAnyClientCert,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return &i.now().cert, nil
		},
		VerifyConnection: func(state tls.ConnectionState) error {
			_, err := i.verify(state, x509.ExtKeyUsageClientAuth)
			return err
		},
	}
}

// verify returns the certificate of the other side if it is good.
func (i *identity) verify(state tls.ConnectionState, usage x509.ExtKeyUsage) (*x509.Certificate, error) {
	if len(state.PeerCertificates) == 0 {
		return nil, errors.New("the other side showed no certificate")
	}
	leaf := state.PeerCertificates[0]
	err := i.now().verify(leaf, state.PeerCertificates[1:], usage)
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case err == nil:
		return leaf, nil
	case errors.As(err, &unknown):
		return nil, fmt.Errorf("the certificate there, for %q, is from no authority in %s: use the files of one authority on all nodes", names(leaf), i.files.CAFile)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return nil, fmt.Errorf("the certificate there, for %q, is good from %s to %s only, and it is %s here",
			names(leaf), leaf.NotBefore.Format(time.DateTime), leaf.NotAfter.Format(time.DateTime), time.Now().Format(time.DateTime))
	}
	return nil, fmt.Errorf("the certificate there, for %q: %w", names(leaf), err)
}
