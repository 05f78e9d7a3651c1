package s3_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/arbiter/strict3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// cleanEnvironment hides this machine's AWS settings from a test.
func cleanEnvironment(t *testing.T) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	nothing := filepath.Join(t.TempDir(), "nothing")
	t.Setenv("AWS_CONFIG_FILE", nothing)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", nothing)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func TestWrongAttributes(t *testing.T) {
	cleanEnvironment(t)
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		attribute string
		says      string
		change    func(*s3.Config)
	}{
		{"bucket", "is missing", func(c *s3.Config) { c.Bucket = "" }},
		{"bucket", "bare name", func(c *s3.Config) { c.Bucket = "s3://leases" }},
		{"bucket", "slash", func(c *s3.Config) { c.Bucket = "leases/prod" }},
		{"bucket", "ARN", func(c *s3.Config) { c.Bucket = "arn:aws:s3:eu-west-1:1:accesspoint" }},
		{"bucket", "directory bucket", func(c *s3.Config) { c.Bucket = "leases--euw1-az1--x-s3" }},
		{"bucket", "character", func(c *s3.Config) { c.Bucket = "my leases" }},
		{"prefix", "begins with a slash", func(c *s3.Config) { c.Prefix = "/prod" }},
		{"prefix", `path element ".."`, func(c *s3.Config) { c.Prefix = "prod/../eu" }},
		{"prefix", `path element "."`, func(c *s3.Config) { c.Prefix = "." }},
		{"prefix", "empty path element", func(c *s3.Config) { c.Prefix = "a//b" }},
		{"endpoint", "http://", func(c *s3.Config) { c.Endpoint = "localhost:9000" }},
		{"endpoint", "http://", func(c *s3.Config) { c.Endpoint = "s3.example.com" }},
		{"endpoint", "names no host", func(c *s3.Config) { c.Endpoint = "http://:9000" }},
		{"endpoint", "credentials go into", func(c *s3.Config) { c.Endpoint = "http://user:pass@s3.example.com" }},
		{"endpoint", "has a path: /minio", func(c *s3.Config) { c.Endpoint = "https://example.com/minio" }},
		{"endpoint", "bucket in its path", func(c *s3.Config) { c.Endpoint = "https://s3.example.com/leases" }},
		{"endpoint", "bucket in its host name", func(c *s3.Config) { c.Endpoint = "https://leases.s3.example.com" }},
		{"endpoint", `arbiter "gcs"`, func(c *s3.Config) { c.Endpoint = "https://storage.googleapis.com" }},
		{"endpoint", `arbiter "gcs"`, func(c *s3.Config) { c.Endpoint = "https://Storage.GoogleAPIs.com./" }},
		{"endpoint", `arbiter "gcs"`, func(c *s3.Config) { c.Endpoint = "https://storage.europe-west1.rep.googleapis.com" }},
		{"region", "is not set", func(c *s3.Config) { c.Region, c.Endpoint = "", "" }},
		{"access_key_id", "without secret_access_key", func(c *s3.Config) { c.SecretAccessKey = "" }},
		{"secret_access_key", "without access_key_id", func(c *s3.Config) { c.AccessKeyID = "" }},
		{"session_token", "without access_key_id", func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey, c.SessionToken = "", "", "t" }},
		{"profile", "one source", func(c *s3.Config) { c.Profile = "prod" }},
		{"profile", "name a profile", func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey, c.Profile = "", "", "nobody" }},
		{"role_arn", "not an ARN", func(c *s3.Config) { c.RoleARN = "electd" }},
		{"sse", "AES256", func(c *s3.Config) { c.SSE = "aes" }},
		{"kms_key_id", "without a KMS", func(c *s3.Config) { c.KMSKeyID = "k" }},
		{"headers.If-Match", "arbiter itself", func(c *s3.Config) { c.Headers = map[string]string{"If-Match": "*"} }},
		{"headers.idempotency-key", "arbiter itself", func(c *s3.Config) { c.Headers = map[string]string{"idempotency-key": "1"} }},
		{"headers.two words", "no header name", func(c *s3.Config) { c.Headers = map[string]string{"two words": "1"} }},
		{"headers.X-A", "control character", func(c *s3.Config) { c.Headers = map[string]string{"X-A": "1\r\nX-B: 2"} }},
		{"etag", "quoted", func(c *s3.Config) { c.ETag = "strong" }},
		{"request_timeout", "negative", func(c *s3.Config) { c.RequestTimeout = -time.Second }},
		{"tls_ca_file", "readable", func(c *s3.Config) { c.TLSCAFile = "/nowhere/ca.pem" }},
		{"tls_ca_file", "holds no certificate", func(c *s3.Config) { c.TLSCAFile = notPEM }},
	} {
		t.Run(c.attribute+" "+c.says, func(t *testing.T) {
			config := s3.Config{Bucket: "leases", Region: "us-east-1", Endpoint: "http://127.0.0.1:1", AccessKeyID: "a", SecretAccessKey: "s"}
			c.change(&config)
			a, err := s3.New(context.Background(), config)
			if err == nil {
				a.Close()
				t.Fatal("was accepted")
			}
			var wrong *core.AttributeError
			if !errors.As(err, &wrong) || !errors.Is(err, core.ErrInvalid) {
				t.Fatalf("%T %v, want an AttributeError", err, err)
			}
			if wrong.Attribute != c.attribute || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nwant attribute %s and %q", err, c.attribute, c.says)
			}
		})
	}
}

// An endpoint of the environment is checked like a configured one.
func TestEndpointOfTheEnvironmentIsChecked(t *testing.T) {
	cleanEnvironment(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", "https://storage.googleapis.com")
	_, err := s3.New(context.Background(), s3.Config{Bucket: "leases", Region: "auto", AccessKeyID: "a", SecretAccessKey: "s"})
	if err == nil || !strings.Contains(err.Error(), `arbiter "gcs"`) {
		t.Fatalf("%v, want Google refused", err)
	}
}

// Each refusal of the store has a code, a text that names what is at fault, and
// leaves what is stored as it was.
func TestRefusalsOfTheStore(t *testing.T) {
	deny := func(action string) strict3.Options {
		return strict3.Options{Deny: func(a, _ string) bool { return a == action }}
	}
	ago := time.Now().Add(-time.Minute)
	expired := strict3.Options{Users: []strict3.User{{AccessKeyID: "ID", SecretAccessKey: "S", SessionToken: "T", Expires: ago}}}
	skewed := func(d time.Duration) strict3.Options {
		return strict3.Options{Now: func() time.Time { return time.Now().Add(d) }}
	}
	both := []string{"write", "read"}
	for _, c := range []struct {
		name   string
		store  strict3.Options
		bucket strict3.Bucket
		change func(*s3.Config)
		on     []string
		code   error
		says   []string
	}{
		{"wrong secret", strict3.Options{}, strict3.Bucket{}, func(c *s3.Config) { c.SecretAccessKey = "guess" }, both, core.ErrDenied, []string{"SignatureDoesNotMatch", "secret access key"}},
		{"unknown key", strict3.Options{}, strict3.Bucket{}, func(c *s3.Config) { c.AccessKeyID = "nobody" }, both, core.ErrDenied, []string{"InvalidAccessKeyId", "does not know"}},
		{"expired token", expired, strict3.Bucket{}, func(c *s3.Config) { c.SessionToken = "T" }, both, core.ErrDenied, []string{"ExpiredToken", "renew the credentials"}},
		{"clock behind", skewed(20 * time.Minute), strict3.Bucket{}, nil, []string{"write"}, core.ErrDenied, []string{"RequestTimeTooSkewed", "20m", "behind the store's"}},
		{"clock ahead", skewed(-20 * time.Minute), strict3.Bucket{}, nil, []string{"write"}, core.ErrDenied, []string{"RequestTimeTooSkewed", "20m", "ahead of the store's"}},
		{"no s3:PutObject", deny("s3:PutObject"), strict3.Bucket{}, nil, []string{"write"}, core.ErrDenied, []string{"s3:PutObject", "arn:aws:s3:::leases/prod/k"}},
		{"no s3:GetObject", deny("s3:GetObject"), strict3.Bucket{}, nil, []string{"read"}, core.ErrDenied, []string{"s3:GetObject", "arn:aws:s3:::leases/prod/k"}},
		{"no s3:ListBucket", deny("s3:ListBucket"), strict3.Bucket{}, nil, []string{"read missing"}, core.ErrDenied, []string{"s3:ListBucket"}},
		{"wrong bucket", strict3.Options{}, strict3.Bucket{}, func(c *s3.Config) { c.Bucket = "leaves" }, both, core.ErrInvalid, []string{"NoSuchBucket", `"leaves"`}},
		{"wrong region", strict3.Options{}, strict3.Bucket{}, func(c *s3.Config) { c.Region = "eu-west-1" }, both, core.ErrInvalid, []string{"expecting 'us-east-1'", "eu-west-1", "region"}},
		{"bucket elsewhere", strict3.Options{}, strict3.Bucket{Region: "eu-west-1"}, nil, both, core.ErrInvalid, []string{"PermanentRedirect", `set region = "eu-west-1"`}},
	} {
		for _, operation := range c.on {
			t.Run(c.name+" "+operation, func(t *testing.T) {
				store, _ := servers.Strict3With(t, c.store, c.bucket)
				store.Bucket = "leases"
				change := c.change
				if change == nil {
					change = func(*s3.Config) {}
				}
				a := open(t, store, change)
				var err error
				switch operation {
				case "write":
					_, err = a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
				default:
					if c.name == "no s3:GetObject" {
						if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
							t.Fatal(err)
						}
					}
					_, err = a.Read(context.Background(), "k")
				}
				if !errors.Is(err, c.code) {
					t.Fatalf("%v, want %v", err, c.code)
				}
				for _, text := range append(c.says, "in bucket "+map[bool]string{true: "leaves", false: "leases"}[c.name == "wrong bucket"], store.Endpoint) {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("%v\ndoes not say %q", err, text)
					}
				}
			})
		}
	}
}

// A wrong clock costs one request: the next is signed with the store's time.
func TestWrongClockHeals(t *testing.T) {
	store, _ := servers.Strict3With(t, strict3.Options{Now: func() time.Time { return time.Now().Add(20 * time.Minute) }}, strict3.Bucket{})
	a := open(t, store)
	swap := core.Swap{Key: "k", Record: []byte("x")}
	if _, err := a.CompareAndSwap(context.Background(), swap); !errors.Is(err, core.ErrDenied) {
		t.Fatalf("first write: %v, want denied", err)
	}
	if _, err := a.CompareAndSwap(context.Background(), swap); err != nil {
		t.Fatalf("second write: %v, want applied", err)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	reached := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer elsewhere.Close()
	a, proxy := through(t, servers.Strict3(t))
	proxy.Decide(func(*http.Request) faultproxy.Verdict {
		return func(x *faultproxy.Exchange) {
			x.Send(faultproxy.Answer{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {elsewhere.URL}}})
		}
	})
	_, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
	if !errors.Is(err, core.ErrInvalid) || !strings.Contains(err.Error(), elsewhere.URL) {
		t.Errorf("write: %v, want invalid, naming %s", err, elsewhere.URL)
	}
	if _, err = a.Read(context.Background(), "k"); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("read: %v, want invalid", err)
	}
	if reached != 0 {
		t.Errorf("%d requests followed the redirect", reached)
	}
}

// Whatever keeps a request from leaving is "unavailable", each with its reason.
func TestUnreachableStores(t *testing.T) {
	t.Parallel()
	tlsServer := httptest.NewTLSServer(strict3.New(strict3.Options{}))
	defer tlsServer.Close()
	plain := servers.Strict3(t)
	silent := servers.Listen(t, func(net.Conn) { <-t.Context().Done() })
	closing := servers.Listen(t, func(c net.Conn) { _, _ = bufio.NewReader(c).Peek(1) })
	resetting := servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) })

	for _, c := range []struct {
		name     string
		endpoint string
		want     error
		says     string
	}{
		{"nobody listens", fmt.Sprintf("http://127.0.0.1:%d", servers.FreePort(t)), core.ErrUnavailable, "connection refused"},
		{"no such host", "http://store.invalid", core.ErrUnavailable, "DNS"},
		{"TLS to a plain port", strings.Replace(plain.Endpoint, "http://", "https://", 1), core.ErrUnavailable, "does not speak TLS"},
		{"plain to a TLS port", strings.Replace(tlsServer.URL, "https://", "http://", 1), core.ErrInvalid, "http:// or https://"},
		{"unknown authority", tlsServer.URL, core.ErrUnavailable, "tls_ca_file"},
		{"TLS handshake hangs", "https://" + silent, core.ErrUnavailable, "in time"},
		{"TLS handshake ended", "https://" + closing, core.ErrUnavailable, "does the endpoint speak TLS?"},
		{"TLS handshake reset", "https://" + resetting, core.ErrUnavailable, "does the endpoint speak TLS?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := plain
			store.Endpoint = c.endpoint
			patience := 10 * time.Second
			if c.endpoint == "https://"+silent {
				patience = 300 * time.Millisecond // it is all waited for
			}
			a := open(t, store, func(c *s3.Config) { c.PathStyle, c.ConnectTimeout = true, patience })
			_, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("write: %v\nwant %v: %s", err, c.want, c.says)
			}
			if _, err = a.Read(context.Background(), "k"); !errors.Is(err, c.want) {
				t.Errorf("read: %v, want %v", err, c.want)
			}
		})
	}
}

func TestOwnAuthority(t *testing.T) {
	store := strict3.New(strict3.Options{})
	store.CreateBucket(strict3.Bucket{Name: "leases"})
	server := httptest.NewUnstartedServer(store)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	at := servers.S3{Endpoint: server.URL, Region: "us-east-1", Bucket: "leases", AccessKeyID: "a", SecretAccessKey: "s"}
	a := open(t, at, func(c *s3.Config) { c.TLSCAFile = file })
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
}

// Versity's gateway has a code of its own for a key id that it does not know.
func TestUnknownKeyAtVersitygw(t *testing.T) {
	a := open(t, servers.Versitygw(t), func(c *s3.Config) { c.AccessKeyID = "nobody" })
	_, err := a.Read(t.Context(), "k")
	if !errors.Is(err, core.ErrDenied) || !strings.Contains(err.Error(), "does not know this access key id") {
		t.Errorf("%v, want denied, and that the key id is not known", err)
	}
}
