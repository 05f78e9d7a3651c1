package demo

import (
	"net"
	"net/http"
	"sync/atomic"

	"github.com/electd/electd/arbiter/strict3"
)

const (
	bucket    = "demo"
	accessKey = "electd-demo"
	secretKey = "electd-demo-secret"
)

// store is the S3 server of the demo, with a counter and a switch in front.
type store struct {
	server   *strict3.Server
	listener net.Listener
	http     *http.Server
	requests atomic.Int64
	down     atomic.Bool
}

func startStore() (*store, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &store{
		server:   strict3.New(strict3.Options{Users: []strict3.User{{AccessKeyID: accessKey, SecretAccessKey: secretKey}}}),
		listener: l,
	}
	s.server.CreateBucket(strict3.Bucket{Name: bucket})
	s.http = &http.Server{Handler: s}
	go s.http.Serve(l)
	return s, nil
}

// ServeHTTP counts a request and answers it, or breaks the connection while the
// store is down.
func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	if s.down.Load() {
		panic(http.ErrAbortHandler)
	}
	s.server.ServeHTTP(w, r)
}

func (s *store) endpoint() string { return "http://" + s.listener.Addr().String() }

func (s *store) close() { s.http.Close() }
