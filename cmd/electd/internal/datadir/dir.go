// Package datadir keeps what a node must remember across restarts (design 3.2):
// its identity, its sessions, and for each election the highest epoch it has seen
// and a pause. One node has one directory, and one process at a time has the
// directory.
//
// Whatever is saved is on disk when the call returns, and a kill or a power cut
// between any two steps leaves either the old or the new: every file is written
// beside its place, synced and renamed. A file that cannot be read is an error
// that says so, never taken for one that is not there.
package datadir

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/gofrs/flock"
)

// Identity says what a node's identity is.
type Identity string

// The identities, as node.identity names them.
const (
	// Random: drawn on first start, kept in the directory.
	Random Identity = "random"
	// NodeID: the node's id itself, where something else guarantees that at
	// most one process has it.
	NodeID Identity = "node-id"
)

// Dir is an open, locked data directory.
type Dir struct {
	path     string
	node     string
	drawn    string // the random identity, whichever one is used
	identity string
	session  string
	sessions []session // newest, this process's, last
	lock     *flock.Flock

	mu        sync.Mutex
	elections map[string]*Election
}

// Open locks the directory at path for node, creates what is missing, and records
// this process's session: by the time it returns, a later process can know of
// this one. The error is an *InUseError if another process has the directory, an
// *OtherNodeError if it belongs to another node, a *CorruptError if a file in it
// cannot be trusted, and an *UnusableError if the system refuses.
func Open(path, node string, identity Identity) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	lock, err := takeLock(path, node)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path, node: node, session: rand.Text(), lock: lock, elections: map[string]*Election{}}
	if err := d.load(identity); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return d, nil
}

// load reads or draws the identity and records the session, once the lock is held.
func (d *Dir) load(identity Identity) error {
	if err := sweep(d.path); err != nil {
		return err
	}
	var err error
	if d.drawn, err = ownIdentity(d.path, d.node); err != nil {
		return err
	}
	d.identity = d.drawn
	if identity == NodeID {
		d.identity = d.node
	}
	return d.register()
}

// Path returns the directory's absolute path.
func (d *Dir) Path() string { return d.path }

// Node returns the id of the node the directory belongs to.
func (d *Dir) Node() string { return d.node }

// Identity returns the identity that electors name this node by.
func (d *Dir) Identity() string { return d.identity }

// Session returns this process's session, drawn when the directory was opened.
func (d *Dir) Session() string { return d.session }

// Sessions returns this node's latest sessions, the present one last.
func (d *Dir) Sessions() []string {
	var ids []string
	for _, s := range d.sessions {
		ids = append(ids, s.ID)
	}
	return ids
}

// Close lets go of the directory. Nothing may be saved afterwards.
func (d *Dir) Close() error { return d.lock.Close() }

// own are the names that electd puts into its directory.
var own = regexp.MustCompile(`^(lock|identity|sessions|elections|api\.sock|lost\+found|\.(identity|sessions)\d+)$`)

// prepare makes sure that path is a directory of ours, closed to others. A
// directory that is somebody else's is left alone.
func prepare(path string) error {
	if err := makeDir(path); err != nil {
		return err
	}
	if err := checkOwn(path); err != nil {
		return err
	}
	return closeDir(path)
}

// checkOwn refuses a directory that is somebody else's.
func checkOwn(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return unusable(path, err)
	}
	foreign, ours := "", false
	for _, entry := range entries {
		switch {
		case entry.Name() == "identity":
			ours = true
		case !own.MatchString(entry.Name()):
			foreign = entry.Name()
		}
	}
	if foreign != "" && !ours {
		return &UnusableError{Path: path, Problem: "holds other things (" + foreign + ") and no identity of electd", Advice: "give the node a folder of its own"}
	}
	return nil
}

// closeDir takes the directory's permissions from everybody but the owner.
func closeDir(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return unusable(path, err)
	}
	if info.Mode().Perm() == 0o700 {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return unusable(path, err)
	}
	return nil
}

// makeDir creates the directory and what is missing above it, durably.
func makeDir(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return notDirectory(path)
	case !errors.Is(err, fs.ErrNotExist):
		return unusable(path, err)
	}
	above := filepath.Dir(path)
	if err := makeDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return unusable(path, err)
	}
	return syncDir(above)
}
