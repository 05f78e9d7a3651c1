package api

import (
	"crypto/tls"
	"fmt"
	"net"

	"golang.org/x/net/netutil"
)

func (s *Server) listen() error {
	var err error
	if s.unix, err = openSocket(s.config.Socket, s.log); err != nil {
		return fmt.Errorf("api.socket: %w", err)
	}
	return s.listenTCP()
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
