package gcs

import (
	"crypto/x509"

	"github.com/electd/electd/arbiter/internal/httpstore"
)

// Unpaced lets a write to an object as often as it is told to: emulators bear it,
// and a race between many needs it.
func (a *Arbiter) Unpaced() { a.pace.interval = 0 }

// Trust makes a trust the certificates of roots alone.
func (a *Arbiter) Trust(roots *x509.CertPool) {
	a.wire.Wire = httpstore.NewWire(roots, a.config.ConnectTimeout)
}
