// Package pki makes what mutual TLS between electd nodes needs, for those who
// have no certificate authority: one of their own, and one certificate per
// node whose name is the node's id.
package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Names of the authority's files. A node's are <id>.pem and <id>.key.
const (
	CAFile    = "ca.pem"
	CAKeyFile = "ca.key"
)

// DefaultValidity is how long certificates of nodes are good for.
const DefaultValidity = 5 * 365 * 24 * time.Hour

// caValidity is longer than any node should keep its certificate.
const caValidity = 20 * 365 * 24 * time.Hour

// Node is one certificate to be made.
type Node struct {
	ID    string   // the node's id; certificate name and file name
	Hosts []string // host names and IP addresses it is also reached by; may be empty
}

// Options of Init. The zero value is right for most.
type Options struct {
	Validity  time.Duration // of the nodes' certificates; DefaultValidity if zero
	Overwrite bool          // replace certificates of these nodes that exist already; never the authority's
}

// Result says what Init did.
type Result struct {
	CACreated bool     // false: an existing authority signed
	Files     []string // written, in order
}

// Files returns the paths that a node's configuration names, for a directory
// that Init filled.
func Files(dir, node string) (ca, cert, key string) {
	return filepath.Join(dir, CAFile), filepath.Join(dir, node+".pem"), filepath.Join(dir, node+".key")
}

// Init makes certificates for nodes in dir, which it creates if need be, and
// before that a certificate authority unless dir holds one already. Nothing is
// written if anything about the request is wrong. Keys are readable by their
// owner only.
func Init(dir string, nodes []Node, o Options) (Result, error) {
	if o.Validity == 0 {
		o.Validity = DefaultValidity
	}
	if o.Validity < 0 {
		return Result{}, fmt.Errorf("validity %v: must be longer than nothing", o.Validity)
	}
	if err := check(nodes); err != nil {
		return Result{}, err
	}
	if !o.Overwrite {
		if err := absent(dir, nodes); err != nil {
			return Result{}, err
		}
	}
	ca, err := loadAuthority(dir)
	created := errors.Is(err, errNoAuthority)
	if created {
		ca, err = newAuthority()
	}
	if err != nil {
		return Result{}, err
	}
	var files []file
	if created {
		files = append(files, ca.files(dir)...)
	}
	for _, node := range nodes {
		issued, err := ca.issue(dir, node, o.Validity)
		if err != nil {
			return Result{}, err
		}
		files = append(files, issued...)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Result{}, err
	}
	result := Result{CACreated: created}
	for _, f := range files {
		if err := f.write(o.Overwrite); err != nil {
			return result, err
		}
		result.Files = append(result.Files, f.path)
	}
	return result, nil
}

func absent(dir string, nodes []Node) error {
	for _, node := range nodes {
		_, cert, key := Files(dir, node.ID)
		for _, path := range []string{cert, key} {
			_, err := os.Lstat(path)
			if err == nil {
				return fmt.Errorf("%s exists already: nothing was written; ask for overwriting to replace the certificate of %s", path, node.ID)
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
