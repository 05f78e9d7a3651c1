package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// socketDir is a directory of one start's own, mode 0700, for the Unix socket
// the plugin listens on. It is gone again as soon as the connection stands. An
// exclusive lock on it says that its host lives.
type socketDir struct {
	path string
	lock *os.File
}

const (
	socketDirPrefix = "electd-socket-"
	// socketSuffix is as long as what stands behind the base directory: our own
	// directory and in it the socket, each with the number that makes it unique.
	socketSuffix = len("/" + socketDirPrefix + "1234567890" + "/plugin1234567890")
	// maxSocketPath is what fits into a socket's address, with a final zero.
	maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1
)

// newSocketDir makes the directory inside base, or if base is empty inside the
// first of TMPDIR and /tmp that will do, and removes what dead hosts left there.
func newSocketDir(base string) (*socketDir, error) {
	candidates := []string{base}
	if base == "" {
		candidates = []string{os.TempDir(), "/tmp"}
	}
	var problems []error
	for _, c := range candidates {
		dir, err := socketDirIn(c)
		if err == nil {
			return dir, nil
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("no place for the plugin's socket (name a short, writable directory as socket_dir, or set TMPDIR): %w",
		errors.Join(problems...))
}

func socketDirIn(base string) (*socketDir, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return nil, err
	}
	if over := len(base) + socketSuffix - maxSocketPath; over > 0 {
		return nil, fmt.Errorf("%s: %d bytes too long for a Unix socket", base, over)
	}
	sweep(base)
	for {
		path, err := os.MkdirTemp(base, socketDirPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockDir(path)
		if err == nil {
			return &socketDir{path: path, lock: lock}, nil
		}
		// Another host's sweep came between making and locking it.
		if !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
	}
}

// lockDir locks a directory, and says os.ErrNotExist if it is gone by then.
func lockDir(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) { // a sweep holds it and will remove it
			return nil, os.ErrNotExist
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if _, err := os.Lstat(path); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (d *socketDir) remove() error {
	err := os.RemoveAll(d.path)
	_ = d.lock.Close()
	return err
}

// sweep removes the socket directories of hosts that no longer live: those of
// this user, that nobody holds a lock on, and in which nothing is but what a
// start of ours puts there. Whatever else bears such a name is somebody's data.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		if !ownDir.MatchString(e.Name()) || !e.IsDir() || !belongsToUs(path) {
			continue
		}
		if lock, err := lockDir(path); err == nil {
			removeOurs(path)
			_ = lock.Close()
		}
	}
}

var (
	ownDir   = regexp.MustCompile(`^` + socketDirPrefix + `\d+$`)
	ownEntry = regexp.MustCompile(`^(plugin|plugin-dir|exec)\d+$`) // socket, go-plugin's empty directory, private copy
)

func belongsToUs(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid() && info.Mode().Perm() == 0o700
}

// removeOurs removes a directory if nothing else is in it, one by one and never
// anything below: what appears there meanwhile stays, and the directory with it.
func removeOurs(path string) {
	entries, err := os.ReadDir(path)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !ownEntry.MatchString(e.Name()) }) {
		return
	}
	for _, e := range entries {
		_ = os.Remove(filepath.Join(path, e.Name()))
	}
	_ = os.Remove(path)
}
