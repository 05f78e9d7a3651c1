package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core/node"
)

// Config says where the API is served and who may change things. Socket is
// required.
type Config struct {
	Socket    string // Unix socket: whoever may open it may do everything
	Listen    string // host:port; empty: no TCP
	Advertise string // as told to others; empty: Listen

	TokenFile                 string // token that lets a TCP client change things; empty: none does
	CertFile, KeyFile, CAFile string // TLS on TCP; a client certificate of CAFile may change things

	LeaderCode, NotLeaderCode int // of /leader; 200 and 503 if zero
	Log                       hclog.Logger
}

// Server is the API. It listens from New on and answers from Serve on.
type Server struct {
	config Config
	token  string
	unix   net.Listener
	tcp    net.Listener
	http   []*http.Server
}

// New starts to listen. Errors name the address and what to do.
func New(c Config) (*Server, error) {
	s := &Server{config: c}
	if c.LeaderCode == 0 {
		s.config.LeaderCode = http.StatusOK
	}
	if c.NotLeaderCode == 0 {
		s.config.NotLeaderCode = http.StatusServiceUnavailable
	}
	if c.TokenFile != "" {
		token, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("api.token_file: %w", err)
		}
		if s.token = strings.TrimSpace(string(token)); len(s.token) < 16 {
			return nil, fmt.Errorf("api.token_file %s: a token has at least 16 characters", c.TokenFile)
		}
	}
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// maxSocketPath is what fits into a Unix socket's address on every system.
const maxSocketPath = 103

func (s *Server) listen() error {
	c := &s.config
	if len(c.Socket) > maxSocketPath {
		return fmt.Errorf("api.socket %s: the path is longer than the %d bytes that a Unix socket can have; set api.socket to a shorter one", c.Socket, maxSocketPath)
	}
	// The data directory's lock is held, so a socket that is there is a leftover.
	if err := os.Remove(c.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("api.socket: %w", err)
	}
	var err error
	if s.unix, err = net.Listen("unix", c.Socket); err != nil {
		return fmt.Errorf("api.socket: %w", err)
	}
	if err := os.Chmod(c.Socket, 0o600); err != nil {
		return fmt.Errorf("api.socket: %w", err)
	}
	if c.Listen == "" {
		return nil
	}
	if s.tcp, err = net.Listen("tcp", c.Listen); err != nil {
		return fmt.Errorf("api.listen %s: %w; choose another port, or stop what listens there", c.Listen, err)
	}
	if c.CertFile == "" {
		return nil
	}
	settings, err := c.tls()
	if err != nil {
		return err
	}
	s.tcp = tls.NewListener(s.tcp, settings)
	return nil
}

func (c *Config) tls() (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("api.tls: %w", err)
	}
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if c.CAFile == "" {
		return settings, nil
	}
	authority, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("api.tls.ca_file: %w", err)
	}
	settings.ClientCAs = x509.NewCertPool()
	if !settings.ClientCAs.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("api.tls.ca_file %s holds no certificate", c.CAFile)
	}
	settings.ClientAuth = tls.VerifyClientCertIfGiven
	return settings, nil
}

// Advertise is the API's address as told to others; empty without TCP.
func (s *Server) Advertise() string {
	if s.tcp == nil {
		return ""
	}
	if s.config.Advertise != "" {
		return s.config.Advertise
	}
	return s.tcp.Addr().String()
}

// Observe returns the observer that counts one election's events for metrics.
func (s *Server) Observe(election string) node.Observer { return node.Unobserved{} }

// Serve answers requests from now on.
func (s *Server) Serve(source Source) {
	for _, l := range []struct {
		listener net.Listener
		trusted  bool
	}{{s.unix, true}, {s.tcp, false}} {
		if l.listener == nil {
			continue
		}
		server := &http.Server{
			Handler:           s.routes(source, l.trusted),
			ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
			ErrorLog: s.config.Log.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
		}
		s.http = append(s.http, server)
		go server.Serve(l.listener)
	}
}

// Close ends the API; requests under way have a second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, server := range s.http {
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
	if len(s.http) == 0 {
		for _, l := range []net.Listener{s.unix, s.tcp} {
			if l != nil {
				l.Close()
			}
		}
	}
	return nil
}

// URL is where programs on this machine reach the API.
func (s *Server) URL() string { return "unix://" + s.config.Socket }
