package bully

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// certificates follow their files: every handshake looks whether they changed,
// and goes on with what they held before if what they hold now is no good.
type certificates struct {
	config Config
	note   func(name, text string)
	clear  func(name string)

	mu   sync.Mutex
	seen [3]os.FileInfo
	held *material
}

// problemCertificate names what is wrong with this node's certificate.
const problemCertificate = "certificate"

// newCertificates reads the files; nil without TLS.
func (a *Arbiter) newCertificates() (*certificates, error) {
	if a.config.TLS == nil {
		return nil, nil
	}
	c := &certificates{config: a.config, note: a.note, clear: a.problems.clear, seen: a.config.TLS.stat()}
	var err error
	c.held, err = a.config.material()
	return c, err
}

// now returns what the files hold, or held last.
func (c *certificates) now() *material {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seen := c.config.TLS.stat(); !same(seen, c.seen) {
		held, err := c.config.material()
		if err != nil { // looked at again at the next handshake: they may be half written
			c.note(problemCertificate, fmt.Sprintf("the changed certificate files are not used: %v", err))
			return c.held
		}
		c.seen, c.held = seen, held
	}
	if until := c.held.leaf.NotAfter; time.Now().After(until) {
		c.note(problemCertificate, fmt.Sprintf("%s expired on %s: no new connection of this voter succeeds; put a new certificate in its place", c.config.TLS.CertFile, until.Format(time.DateTime)))
	} else {
		c.clear(problemCertificate)
	}
	return c.held
}

// stat tells one state of the files from another; a missing one is like no other.
func (t *TLS) stat() (infos [3]os.FileInfo) {
	for n, path := range []string{t.CAFile, t.CertFile, t.KeyFile} {
		infos[n], _ = os.Stat(path)
	}
	return infos
}

func same(a, b [3]os.FileInfo) bool {
	for n := range a {
		if a[n] == nil || b[n] == nil || !os.SameFile(a[n], b[n]) || !a[n].ModTime().Equal(b[n].ModTime()) || a[n].Size() != b[n].Size() {
			return false
		}
	}
	return true
}

// server are the credentials of the vote listener: any node of the authority may
// ask, as joiners may stand and read.
func (c *certificates) server() credentials.TransportCredentials {
	if c == nil {
		return insecure.NewCredentials()
	}
	return handshakes{certificates: c}
}

// client are the credentials for calling the named voter: nobody else is accepted
// at the other end.
func (c *certificates) client(voter string) credentials.TransportCredentials {
	if c == nil {
		return insecure.NewCredentials()
	}
	return handshakes{certificates: c, voter: voter}
}

// handshakes are credentials made anew for each handshake.
type handshakes struct {
	certificates *certificates
	voter        string // at the other end; empty where this node is called
}

func (h handshakes) fresh() credentials.TransportCredentials {
	return credentials.NewTLS(h.certificates.now().config(h.voter))
}

// ClientHandshake implements credentials.TransportCredentials.
func (h handshakes) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return h.fresh().ClientHandshake(ctx, authority, conn)
}

// ServerHandshake implements credentials.TransportCredentials.
func (h handshakes) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return h.fresh().ServerHandshake(conn)
}

// Info implements credentials.TransportCredentials.
func (h handshakes) Info() credentials.ProtocolInfo { return h.fresh().Info() }

// Clone implements credentials.TransportCredentials.
func (h handshakes) Clone() credentials.TransportCredentials { return h }

// OverrideServerName implements credentials.TransportCredentials, and does
// nothing: who is called is fixed.
func (h handshakes) OverrideServerName(string) error { return nil }
