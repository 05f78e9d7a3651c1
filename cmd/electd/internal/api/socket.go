package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// maxSocketPath is what fits into a Unix socket's address on every system.
const maxSocketPath = 103

// socket is the Unix socket, and what makes it anew when somebody has removed it.
type socket struct {
	path string
	log  hclog.Logger

	mu       sync.Mutex
	listener *net.UnixListener
	made     fs.FileInfo // the file as it was made
	trouble  string      // why it could not be made anew; said once
	closed   bool
}

// openSocket begins to listen.
func openSocket(path string, log hclog.Logger) (*socket, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("%s: the path is longer than the %d bytes that a Unix socket can have; set api.socket to a shorter one", path, maxSocketPath)
	}
	if err := removeLeftover(path); err != nil {
		return nil, err
	}
	s := &socket{path: path, log: log}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *socket) open() error {
	l, err := net.Listen("unix", s.path)
	if err != nil {
		return err
	}
	listener := l.(*net.UnixListener)
	listener.SetUnlinkOnClose(false) // by then it may be another one's
	if err = os.Chmod(s.path, 0o600); err == nil {
		s.made, err = os.Lstat(s.path)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s.listener = listener
	return nil
}

// lookEvery is how often the socket's file is looked for.
const lookEvery = time.Second

// keep makes the socket anew whenever its file is gone, and hands it to serve,
// until ctx ends. Connections of before live on. What somebody else has put in its
// place is left alone.
func (s *socket) keep(ctx context.Context, serve func(net.Listener)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		if _, err := os.Lstat(s.path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if listener := s.again(); listener != nil {
			serve(listener)
		}
	}
}

// again makes the socket anew. It returns nil, and says why, if that cannot be
// done.
func (s *socket) again() net.Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	before := s.listener
	if err := s.open(); err != nil {
		if s.trouble != err.Error() {
			s.trouble = err.Error()
			s.log.Error("the API's socket was removed and cannot be made anew: commands on this machine find no daemon", "error", err)
		}
		return nil
	}
	s.trouble = ""
	before.Close()
	s.log.Warn("the API's socket was removed, and is made anew", "socket", s.path)
	return s.listener
}

// close stops listening and removes the file, if it is this daemon's.
func (s *socket) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.made) {
		os.Remove(s.path)
	}
	s.listener.Close()
}

// removeLeftover removes the socket of a daemon that is no more, and nothing else.
func removeLeftover(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s is there and is no socket; set api.socket to a path of its own", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return fmt.Errorf("%s: another daemon answers on it; set api.socket to a path of its own", path)
	}
	return os.Remove(path)
}
