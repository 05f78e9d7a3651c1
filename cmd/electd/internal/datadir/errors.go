package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// InUseError says that another process has the directory.
type InUseError struct {
	Path  string
	PID   int       // 0 if not known
	Node  string    // empty if not known
	Since time.Time // zero if not known
}

func (e *InUseError) Error() string {
	who := "another electd"
	if e.PID != 0 {
		who = fmt.Sprintf("electd process %d of node %q since %s", e.PID, e.Node, e.Since.Format(time.RFC3339))
	}
	return fmt.Sprintf("data directory %s is in use by %s: stop that process, or give this node a data directory of its own", e.Path, who)
}

// OtherNodeError says that the directory was made for another node.
type OtherNodeError struct {
	Path  string
	Owner string // node id it was made for
	Node  string // node id it was opened for
}

func (e *OtherNodeError) Error() string {
	return fmt.Sprintf("data directory %s belongs to node %q, not to %q: use that node's id, or give this node an empty data directory (a renamed node is a new node)", e.Path, e.Owner, e.Node)
}

// CorruptError says that a file is not as it was written. It is never repaired
// or replaced by itself: what it held keeps two leaders apart.
type CorruptError struct {
	Path    string
	Problem string
	Advice  string
}

func (e *CorruptError) Error() string { return fmt.Sprintf("%s: %s: %s", e.Path, e.Problem, e.Advice) }

// UnusableError says why the system does not let the directory be used.
type UnusableError struct {
	Path    string
	Problem string
	Advice  string
	Err     error // may be nil
}

func (e *UnusableError) Error() string {
	text := fmt.Sprintf("%s %s: %s", e.Path, e.Problem, e.Advice)
	if e.Err != nil {
		text += fmt.Sprintf(" (%v)", e.Err)
	}
	return text
}

func (e *UnusableError) Unwrap() error { return e.Err }

func notDirectory(path string) error {
	return &UnusableError{Path: path, Problem: "is not a directory", Advice: "name a folder, or remove the file"}
}

// unusable explains what the system said of path.
func unusable(path string, err error) error {
	e := &UnusableError{Path: path, Problem: "cannot be used", Advice: "see what the system says", Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Problem, e.Advice = "cannot be written: the disk or quota is full", "free some space"
	case errors.Is(err, syscall.EROFS):
		e.Problem, e.Advice = "cannot be written: the file system is read-only", "name a data directory elsewhere"
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Advice = "is not accessible to this user", "run as the directory's owner, or name another data directory"
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem, e.Advice = "is not in a directory", "a part of the path is a file; name another data directory"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP):
		e.Problem, e.Advice = "cannot be locked on this file system", "name a data directory on a local disk"
	}
	return e
}

// notMakeable is about a directory that is not there and would have to be made in
// one where this user may make nothing.
func notMakeable(path, above string, err error) error {
	return &UnusableError{
		Path: path, Problem: "is not there, and this user may not make it in " + above,
		Advice: "a systemd unit's StateDirectory makes it, or make it for the user that electd runs as", Err: err,
	}
}
