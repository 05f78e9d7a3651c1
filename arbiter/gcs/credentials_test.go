package gcs_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// serviceAccount writes the key file of an account whose tokens come from uri.
func serviceAccount(t *testing.T, uri string) string {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)})
	file := filepath.Join(t.TempDir(), "account.json")
	text := fmt.Appendf(nil, `{"type":"service_account","project_id":"electd","client_email":"electd@electd.iam.gserviceaccount.com","private_key_id":"1","private_key":%q,"token_uri":%q}`, encoded, uri)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// guarded is a store behind TLS that asks for a token, and its token service.
type guarded struct {
	store  *httptest.Server
	tokens *httptest.Server
	gives  atomic.Int32 // the token service's status
	server servers.GCS
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{server: servers.Gcsemulator(t)}
	target, err := url.Parse(g.server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	g.store = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(g.store.Close)
	g.gives.Store(http.StatusOK)
	g.tokens = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(g.gives.Load()))
		_, _ = w.Write([]byte(`{"access_token":"good","token_type":"Bearer","expires_in":3600}`))
	}))
	t.Cleanup(g.tokens.Close)
	return g
}

func (g *guarded) open(t *testing.T) *gcs.Arbiter {
	t.Helper()
	a := open(t, gcs.Config{
		Bucket: g.server.Bucket, Endpoint: g.store.URL, RequestTimeout: 3 * time.Second,
		CredentialsFile: serviceAccount(t, g.tokens.URL),
	})
	roots := x509.NewCertPool()
	roots.AddCert(g.store.Certificate())
	a.Trust(roots)
	return a
}

func TestAServiceAccountsTokenIsSent(t *testing.T) {
	g := newGuarded(t)
	a := g.open(t)
	put(t, a, "", "one")
	s, err := a.Read(t.Context(), key)
	if err != nil || string(s.Record) != "one" {
		t.Errorf("read %+v, %v", s, err)
	}
}

// Without a token nothing was sent, so nothing was applied.
func TestATokenServiceThatFails(t *testing.T) {
	for status, want := range map[int]core.Outcome{
		http.StatusUnauthorized:       core.Denied,
		http.StatusServiceUnavailable: core.Unavailable,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			g := newGuarded(t)
			g.gives.Store(int32(status))
			a := g.open(t)
			_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
			if core.WriteOutcome(err) != want || !strings.Contains(err.Error(), "token") {
				t.Errorf("got %v, want %v", err, want)
			}
			if _, err := a.Read(t.Context(), key); core.ReadOutcome(err) != want {
				t.Errorf("read: %v, want %v", err, want)
			}
		})
	}
}

func TestAStrangeCertificateIsNamed(t *testing.T) {
	g := newGuarded(t)
	a := g.open(t)
	a.Trust(x509.NewCertPool())
	_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
	if core.WriteOutcome(err) != core.Invalid || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

func TestTLSToAPlainPortIsNamed(t *testing.T) {
	g := newGuarded(t)
	g.store.URL = strings.Replace(g.server.Endpoint, "http://", "https://", 1)
	_, err := g.open(t).CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
	if core.WriteOutcome(err) != core.Invalid || !strings.Contains(err.Error(), "http://") {
		t.Errorf("got %v", err)
	}
}

// A server that speaks no TLS may say nothing at all: it ends the connection, or
// resets it if it has not read all that was sent.
func TestAHandshakeThatIsCutOffIsExplained(t *testing.T) {
	for name, read := range map[string]int{"end": 64 << 10, "reset": 1} {
		t.Run(name, func(t *testing.T) {
			address := servers.Listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, read)) })
			g := newGuarded(t)
			g.store.URL = "https://" + address
			_, err := g.open(t).CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("one")})
			if core.WriteOutcome(err) != core.Unavailable || !strings.Contains(err.Error(), "does the server speak TLS there?") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// report waits until an arbiter's report is as wanted.
func report(t *testing.T, a *gcs.Arbiter, wanted func(core.ArbiterReport) bool) {
	t.Helper()
	var last core.ArbiterReport
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var err error
		if last, err = a.Report(t.Context()); err != nil {
			t.Fatal(err)
		}
		if wanted(last) {
			return
		}
	}
	t.Errorf("at last it reports %+v", last)
}

func TestReportOfTheToken(t *testing.T) {
	g := newGuarded(t)
	report(t, g.open(t), func(r core.ArbiterReport) bool {
		c := r.Credentials
		return len(r.Problems) == 0 && c.ID == "electd@electd.iam.gserviceaccount.com" && strings.HasPrefix(c.Source, "credentials_file /") &&
			time.Until(c.Expires) > 50*time.Minute && time.Until(c.Expires) < 70*time.Minute
	})
	g.gives.Store(http.StatusForbidden)
	report(t, g.open(t), func(r core.ArbiterReport) bool {
		return len(r.Problems) == 1 && strings.Contains(r.Problems[0], "no token from credentials_file") && strings.Contains(r.Problems[0], "403") &&
			strings.Contains(r.Problems[0], "check the credentials")
	})
}

// An emulator needs no credentials, and there is nothing to tell of them.
func TestReportWithoutCredentials(t *testing.T) {
	a := open(t, gcs.Config{Bucket: "leases", Endpoint: "http://127.0.0.1:1"})
	if r, err := a.Report(t.Context()); err != nil || r.Credentials != (core.Credentials{}) || r.Problems != nil {
		t.Errorf("%+v, %v; want nothing", r, err)
	}
}
