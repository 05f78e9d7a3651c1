package gcs

import (
	"crypto/tls"
	"crypto/x509"
)

// Unpaced lets a write to an object as often as it is told to: emulators bear it,
// and a race between many needs it.
func (a *Arbiter) Unpaced() { a.pace.interval = 0 }

// Trust makes a trust the certificates of roots alone.
func (a *Arbiter) Trust(roots *x509.CertPool) {
	a.wire.pool.TLSClientConfig = &tls.Config{RootCAs: roots}
}

// Age is age, for its test.
var Age = age
