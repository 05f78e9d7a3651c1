package s3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/arbiter/strict3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// tokenService answers AssumeRole and AssumeRoleWithWebIdentity and keeps what
// it was asked.
type tokenService struct {
	mu    sync.Mutex
	asked []string
}

func (s *tokenService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	action := r.PostForm.Get("Action")
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%s %s %s", action, r.PostForm.Get("RoleArn"), r.PostForm.Get("WebIdentityToken")))
	s.mu.Unlock()
	fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials>
		<AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>role secret</SecretAccessKey><SessionToken>role token</SessionToken>
		<Expiration>%[2]s</Expiration></Credentials>
		<AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/electd/electd</Arn><AssumedRoleId>A:electd</AssumedRoleId></AssumedRoleUser>
		</%[1]sResult></%[1]sResponse>`, action, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
}

// roleStore is a store that knows only the role's credentials, and a token
// service that gives them.
func roleStore(t *testing.T) (servers.S3, *tokenService) {
	t.Helper()
	cleanEnvironment(t)
	service := &tokenService{}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL_STS", server.URL)
	store, _ := servers.Strict3With(t, strict3.Options{Users: []strict3.User{
		{AccessKeyID: "ROLE", SecretAccessKey: "role secret", SessionToken: "role token"},
	}}, strict3.Bucket{})
	return store, service
}

func TestWebIdentity(t *testing.T) {
	store, service := roleStore(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("signed by the cluster"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", token)
	t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/electd")
	a := open(t, store, func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey = "", "" })
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if len(service.asked) != 1 || service.asked[0] != "AssumeRoleWithWebIdentity arn:aws:iam::1:role/electd signed by the cluster" {
		t.Errorf("asked %q", service.asked)
	}
	if r, err := a.Report(t.Context()); err != nil || r.Credentials.ID != "ROLE" || time.Until(r.Credentials.Expires) < 50*time.Minute || len(r.Problems) != 0 {
		t.Errorf("credentials %+v, want ROLE for an hour", r)
	}
}

func TestAssumedRole(t *testing.T) {
	store, service := roleStore(t)
	a := open(t, store, func(c *s3.Config) {
		c.AccessKeyID, c.SecretAccessKey, c.RoleARN = "BASE", "base secret", "arn:aws:iam::1:role/electd"
	})
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if len(service.asked) != 1 || !strings.HasPrefix(service.asked[0], "AssumeRole arn:aws:iam::1:role/electd") {
		t.Errorf("asked %q", service.asked)
	}
}

func TestProfile(t *testing.T) {
	store := servers.Strict3(t)
	cleanEnvironment(t)
	file := filepath.Join(t.TempDir(), "credentials")
	text := fmt.Sprintf("[ha]\naws_access_key_id = %s\naws_secret_access_key = %s\n", store.AccessKeyID, store.SecretAccessKey)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	a := open(t, store, func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey, c.Profile = "", "", "ha" })
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
}

// Without credentials nothing is sent, least of all an anonymous request.
func TestNoCredentialsSendsNothing(t *testing.T) {
	cleanEnvironment(t)
	store, server := servers.Strict3With(t, strict3.Options{}, strict3.Bucket{})
	a := open(t, store, func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey = "", "" })
	_, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
	if !errors.Is(err, core.ErrDenied) || !strings.Contains(err.Error(), "no usable credentials") {
		t.Errorf("write: %v, want denied: no usable credentials", err)
	}
	if _, err := a.Read(context.Background(), "k"); !errors.Is(err, core.ErrDenied) {
		t.Errorf("read: %v, want denied", err)
	}
	if n := server.Requests(); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

// A token service that cannot be reached needs time, not a person.
func TestTokenServiceUnreachable(t *testing.T) {
	store, _ := roleStore(t)
	t.Setenv("AWS_ENDPOINT_URL_STS", fmt.Sprintf("http://127.0.0.1:%d", servers.FreePort(t)))
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	a := open(t, store, func(c *s3.Config) { c.RoleARN = "arn:aws:iam::1:role/electd" })
	_, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
	if !errors.Is(err, core.ErrUnavailable) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("write: %v, want unavailable: connection refused", err)
	}
}

// Extra headers and encryption reach the store, signed.
func TestHeadersAndEncryption(t *testing.T) {
	a, proxy := through(t, servers.Strict3(t), func(c *s3.Config) {
		c.Headers = map[string]string{"X-Amz-Meta-Consistency": "strong"}
		c.SSE, c.KMSKeyID = "aws:kms", "key-1"
	})
	v1, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Record: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.CompareAndSwap(context.Background(), core.Swap{Key: "k", Expected: v1, Record: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	for _, h := range proxy.Headers() {
		if h.Get("X-Amz-Meta-Consistency") != "strong" || h.Get("X-Amz-Server-Side-Encryption") != "aws:kms" ||
			h.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id") != "key-1" {
			t.Errorf("headers %v", h)
		}
		if !strings.Contains(h.Get("Authorization"), "x-amz-meta-consistency") {
			t.Errorf("not signed: %s", h.Get("Authorization"))
		}
		if h.Get("X-Amz-Trailer") != "" || h.Get("Content-Encoding") != "" {
			t.Errorf("a custom endpoint got a checksum trailer: %v", h)
		}
	}
}
