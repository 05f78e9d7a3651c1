package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/net/netutil"
)

// maxSocketPath is what fits into a Unix socket's address on every system.
const maxSocketPath = 103

func (s *Server) listen() error {
	if err := s.listenUnix(); err != nil {
		return fmt.Errorf("api.socket: %w", err)
	}
	return s.listenTCP()
}

func (s *Server) listenUnix() error {
	path := s.config.Socket
	if len(path) > maxSocketPath {
		return fmt.Errorf("%s: the path is longer than the %d bytes that a Unix socket can have; set api.socket to a shorter one", path, maxSocketPath)
	}
	if err := removeLeftover(path); err != nil {
		return err
	}
	var err error
	if s.unix, err = net.Listen("unix", path); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
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

func (s *Server) listenTCP() error {
	c := &s.config
	if c.Listen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("api.listen %s: %w; choose another port, or stop what listens there", c.Listen, err)
	}
	s.tcp = netutil.LimitListener(listener, maxConnections)
	if c.CertFile == "" {
		return nil
	}
	files := &certificates{certFile: c.CertFile, keyFile: c.KeyFile, caFile: c.CAFile, log: s.log}
	if _, err := files.current(nil); err != nil {
		return err
	}
	s.tcp = tls.NewListener(s.tcp, &tls.Config{GetConfigForClient: files.current, MinVersion: tls.VersionTLS12})
	return nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
