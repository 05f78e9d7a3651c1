package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport/pki"
)

// identity is what proves this node, and what others are measured by. It
// follows its files: each handshake looks whether they changed.
type identity struct {
	node  string
	files TLS
	log   hclog.Logger

	mu      sync.Mutex
	seen    [3]os.FileInfo
	held    *material
	trouble string // why the newest files are not used; empty if they are
}

// material is one consistent reading of the files.
type material struct {
	cert  tls.Certificate
	roots *x509.CertPool
}

func newIdentity(node string, files TLS, log hclog.Logger) (*identity, error) {
	i := &identity{node: node, files: files, log: log}
	i.seen = stat(files)
	held, err := load(node, files)
	if err != nil {
		return nil, err
	}
	i.held = held
	if info := i.seen[2]; info != nil && info.Mode().Perm()&0o007 != 0 {
		log.Warn("the private key is open to every user of this machine", "file", files.KeyFile, "do", "chmod 600 "+files.KeyFile)
	}
	return i, nil
}

// now returns the present material: what the files hold, or if that is no good
// what they held before.
func (i *identity) now() *material {
	i.mu.Lock()
	defer i.mu.Unlock()
	seen := stat(i.files)
	if i.trouble == "" && same(seen, i.seen) {
		return i.held
	}
	held, err := load(i.node, i.files)
	if err != nil {
		if err.Error() != i.trouble {
			i.log.Warn("changed certificate files are not used", "why", err.Error())
			i.trouble = err.Error()
		}
		return i.held
	}
	i.seen, i.held, i.trouble = seen, held, ""
	i.log.Info("certificate files read", "expires", held.cert.Leaf.NotAfter)
	return i.held
}

func stat(files TLS) (infos [3]os.FileInfo) {
	for n, path := range []string{files.CAFile, files.CertFile, files.KeyFile} {
		infos[n], _ = os.Stat(path) // nil if it is missing: differs from any that is there
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

// Check reports what New would find wrong with the files of a node.
func (t TLS) Check(node string) error {
	_, err := load(node, t)
	return err
}

// load reads the files and checks that they can work.
func load(node string, files TLS) (*material, error) {
	m, err := reading(files)
	if err != nil {
		return nil, err
	}
	return m, m.check(node, files)
}

func reading(files TLS) (*material, error) {
	for _, f := range []struct{ attribute, path string }{
		{"ca_file", files.CAFile}, {"cert_file", files.CertFile}, {"key_file", files.KeyFile},
	} {
		if f.path == "" {
			return nil, &core.AttributeError{Attribute: "tls." + f.attribute, Problem: "is missing", Advice: "electd tls init makes the files; for trying things out on one machine, insecure = true does without"}
		}
	}
	ca, err := pki.ReadFile("tls.ca_file", files.CAFile)
	if err != nil {
		return nil, err
	}
	m := &material{roots: x509.NewCertPool()}
	if !m.roots.AppendCertsFromPEM(ca) {
		return nil, &core.AttributeError{Attribute: "tls.ca_file", Problem: files.CAFile + " holds no PEM certificate"}
	}
	m.cert, err = pki.LoadPair(files.CertFile, files.KeyFile)
	return m, err
}

// check finds what every peer would refuse.
func (m *material) check(node string, files TLS) error {
	leaf := m.cert.Leaf
	wrong := func(format string, args ...any) error {
		return &core.AttributeError{
			Attribute: "tls.cert_file",
			Problem:   files.CertFile + " " + fmt.Sprintf(format, args...),
			Advice:    fmt.Sprintf("use a certificate made for node %s; electd tls init makes one", node),
		}
	}
	now := time.Now()
	switch {
	case !slices.Contains(names(leaf), node):
		return wrong("is for %q, not for this node's id %q", names(leaf), node)
	case now.After(leaf.NotAfter):
		return wrong("expired on %s", leaf.NotAfter.Format(time.DateTime))
	case now.Before(leaf.NotBefore):
		return wrong("is good only from %s on, by this machine's clock", leaf.NotBefore.Format(time.DateTime))
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		err := m.verify(leaf, m.intermediates(), usage)
		var unknown x509.UnknownAuthorityError
		switch {
		case errors.As(err, &unknown):
			return &core.AttributeError{Attribute: "tls.ca_file", Problem: fmt.Sprintf("no authority in %s signed %s", files.CAFile, files.CertFile), Advice: "use the files of one authority on all nodes"}
		case err != nil:
			return wrong("cannot serve both as a server's and as a client's: %v", err)
		}
	}
	return nil
}

func (m *material) intermediates() []*x509.Certificate {
	var all []*x509.Certificate
	for _, der := range m.cert.Certificate[1:] {
		if cert, err := x509.ParseCertificate(der); err == nil {
			all = append(all, cert)
		}
	}
	return all
}

func (m *material) verify(leaf *x509.Certificate, others []*x509.Certificate, usage x509.ExtKeyUsage) error {
	options := x509.VerifyOptions{
		Roots:         m.roots,
		Intermediates: x509.NewCertPool(),
		KeyUsages:     []x509.ExtKeyUsage{usage},
	}
	for _, cert := range others {
		options.Intermediates.AddCert(cert)
	}
	_, err := leaf.Verify(options)
	return err
}

// names are the node ids a certificate proves: exactly those, no wildcards.
func names(cert *x509.Certificate) []string {
	all := slices.Clone(cert.DNSNames)
	if name := cert.Subject.CommonName; name != "" && !slices.Contains(all, name) {
		all = append(all, name)
	}
	return all
}
