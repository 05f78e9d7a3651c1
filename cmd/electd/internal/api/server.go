package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Config says where the API is served and who may change things. Socket is
// required.
type Config struct {
	Socket    string // Unix socket: whoever may open it may do everything
	Listen    string // host:port; empty: no TCP
	Advertise string // as told to others; empty: Listen

	// NotePermit remembers beyond this process that programs may act on its word;
	// it is called once, before the first permit. Nil: nothing is remembered.
	NotePermit func() error

	TokenFile                 string // token that lets a TCP client change things; empty: none does
	CertFile, KeyFile, CAFile string // TLS on TCP; a client certificate of CAFile may change things

	LeaderCode, NotLeaderCode int // of /leader; 200 and 503 if zero
	Log                       hclog.Logger
}

// codes are the answers of /leader.
type codes struct{ leader, notLeader int }

func (c *Config) codes() codes {
	out := codes{c.LeaderCode, c.NotLeaderCode}
	if out.leader == 0 {
		out.leader = http.StatusOK
	}
	if out.notLeader == 0 {
		out.notLeader = http.StatusServiceUnavailable
	}
	return out
}

// Server is the API. It listens from New on and answers from Serve on.
type Server struct {
	config   Config
	log      hclog.Logger
	codes    atomic.Pointer[codes]
	token    token
	guards   guards
	streams  streams
	refusals refusals
	metrics  *metrics

	unix    *socket
	tcp     net.Listener
	http    []*http.Server
	serving sync.WaitGroup
	ending  context.Context // done when the server closes: streams end
	end     context.CancelFunc
}

// New starts to listen. Errors name the address and what to do.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	s := &Server{config: c, log: c.Log, metrics: newMetrics(), token: token{log: c.Log}, guards: guards{mark: c.NotePermit}}
	s.ending, s.end = context.WithCancel(context.Background())
	answers := c.codes()
	s.codes.Store(&answers)
	if err := s.token.use(c.TokenFile); err != nil {
		return nil, err
	}
	if err := s.listen(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.tcp != nil && c.TokenFile != "" && c.CertFile == "" && !isLoopback(s.tcp.Addr()) {
		s.log.Warn("the API's token crosses the network in plain text: set api.tls, or listen on loopback", "listen", s.tcp.Addr().String())
	}
	return s, nil
}

// Reload takes over what a running daemon can change: the token's file and the
// codes of /leader. On an error nothing is changed.
func (s *Server) Reload(c Config) error {
	if err := s.token.use(c.TokenFile); err != nil {
		return err
	}
	answers := c.codes()
	s.codes.Store(&answers)
	return nil
}

// Serve answers requests from now on.
func (s *Server) Serve(source Source) {
	s.metrics.follow(source, &s.guards, &s.streams)
	local := s.server(source, true)
	s.serve(local, s.unix.listener)
	s.serving.Go(func() { s.unix.keep(s.ending, func(l net.Listener) { s.serve(local, l) }) })
	if s.tcp != nil {
		s.serve(s.server(source, false), s.tcp)
	}
}

// server returns what answers the requests of a listener; trusted is whether all
// who reach it may change things.
func (s *Server) server(source Source, trusted bool) *http.Server {
	server := &http.Server{
		Handler:           s.handler(source, trusted),
		ReadHeaderTimeout: readWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		ConnContext: rememberPeer,
		ErrorLog:    s.log.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
	s.http = append(s.http, server)
	return server
}

func (s *Server) serve(server *http.Server, l net.Listener) {
	s.serving.Go(func() { server.Serve(l) })
}

// closeWithin is how long requests under way have when the API ends.
const closeWithin = time.Second

// Close ends the API. Streams end at once, requests under way have a second.
func (s *Server) Close() error {
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	for _, server := range s.http {
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
	if s.unix != nil {
		s.unix.close()
	}
	if s.tcp != nil {
		s.tcp.Close()
	}
	s.serving.Wait()
	return nil
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

// URL is where programs on this machine reach the API.
func (s *Server) URL() string { return "unix://" + s.config.Socket }
