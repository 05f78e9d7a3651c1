// Package strict3 is a small S3 server in memory that is strict where other
// small servers are lenient: conditional PUT and DELETE, conflicts of writes in
// flight, delete markers, signatures, clocks and permissions answer as Amazon
// S3's documentation says. It serves tests and the demo, not storage.
//
// Buckets are addressed in the path. Objects are written whole: there are no
// multipart uploads, copies, tags or access control lists.
package strict3

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how strict a server is and whom it knows.
type Options struct {
	Region string           // that requests are signed for; default us-east-1
	Users  []User           // who may sign requests; nobody: requests need no signature
	Now    func() time.Time // the server's clock; default time.Now

	// Deny says whether an action ("s3:PutObject") on a resource
	// ("arn:aws:s3:::bucket/key") is denied by policy; nil denies nothing.
	Deny func(action, resource string) bool

	// InFlight delays every conditional write between its arrival and its
	// evaluation, so that writes meet each other as they do on a real network.
	InFlight time.Duration
}

// User is an access key.
type User struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string    // that requests must carry; empty: none
	Expires         time.Time // of the session token; zero: never
}

// Bucket says how a bucket is set up.
type Bucket struct {
	Name       string
	Region     string // default: the server's
	Versioned  bool
	ObjectLock bool   // with default retention: versions stay, and a PUT must carry a checksum
	Lifecycle  string // XML as GetBucketLifecycleConfiguration returns it; empty: none
}

// Server is the store. It is an http.Handler.
type Server struct {
	options  Options
	requests atomic.Int64

	mu      sync.RWMutex
	buckets map[string]*bucket
}

// New makes an empty store.
func New(o Options) *Server {
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{options: o, buckets: map[string]*bucket{}}
}

// CreateBucket adds an empty bucket, replacing one of the same name.
func (s *Server) CreateBucket(b Bucket) {
	if b.Region == "" {
		b.Region = s.options.Region
	}
	b.Versioned = b.Versioned || b.ObjectLock
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buckets[b.Name] = &bucket{setup: b, created: s.options.Now(), objects: map[string]*object{}}
}

// Requests returns how many requests have come so far, refused ones included.
func (s *Server) Requests() int64 { return s.requests.Load() }

func (s *Server) bucket(name string) *bucket {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.buckets[name]
}

// request is one request on its way through the server.
type request struct {
	*http.Request
	bucket string
	key    string
	body   []byte
	from   string // access key id
}

// resource names what the request is about, as policies do.
func (r *request) resource() string {
	return strings.TrimSuffix("arn:aws:s3:::"+r.bucket+"/"+r.key, "/")
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	id := make([]byte, 8)
	_, _ = rand.Read(id)
	w.Header().Set("Server", "strict3")
	w.Header().Set("Date", s.options.Now().UTC().Format(http.TimeFormat))
	w.Header().Set("X-Amz-Request-Id", strings.ToUpper(hex.EncodeToString(id)))

	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := &request{Request: r, bucket: bucket, key: key}
	if err := s.serve(w, q); err != nil {
		err.send(w, q)
	}
}

// serve admits the request and hands it to the operation it asks for.
func (s *Server) serve(w http.ResponseWriter, r *request) *failure {
	if err := s.admit(r); err != nil {
		return err
	}
	op := route(r)
	if op == nil {
		return fail(http.StatusNotImplemented, "NotImplemented", "A header or query you provided implies functionality that is not implemented")
	}
	if err := s.permit(r, op.action); err != nil {
		return err
	}
	var b *bucket
	if op.needsBucket {
		if b = s.bucket(r.bucket); b == nil {
			return fail(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist").with("BucketName", r.bucket)
		}
		if b.setup.Region != s.options.Region {
			w.Header().Set("X-Amz-Bucket-Region", b.setup.Region)
			return fail(http.StatusMovedPermanently, "PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint").
				with("Endpoint", r.bucket+".s3."+b.setup.Region+".amazonaws.com")
		}
	}
	return op.serve(s, w, r, b)
}

// Keys returns the keys in a bucket that have an object, in order.
func (s *Server) Keys(name string) []string {
	b := s.bucket(name)
	if b == nil {
		return nil
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	var present []string
	for _, key := range b.keys() {
		if b.objects[key].current() != nil {
			present = append(present, key)
		}
	}
	return present
}
