package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/transport/pki"
)

// resume asks for a change over TCP, as a client with that token.
func (s *served) resume(t *testing.T, token string) int {
	t.Helper()
	r, err := http.NewRequest("POST", s.tcp+"/v1/elections/orders/resume", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func TestTokenFollowsItsFile(t *testing.T) {
	s := serve(t, nil)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(s.token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, token string, want int) {
		t.Helper()
		if got := s.resume(t, token); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	check("no token", "", http.StatusUnauthorized)
	check("another token", "another-token-of-length", http.StatusUnauthorized)
	check("the token", secret, http.StatusOK)
	write("the-next-token-is-longer")
	check("the token before", secret, http.StatusUnauthorized)
	check("the new token", "the-next-token-is-longer", http.StatusOK)
	write("short")
	check("a token too short", "short", http.StatusUnauthorized)
	write(secret)
	check("the first token again", secret, http.StatusOK)
	if err := os.Remove(s.token); err != nil {
		t.Fatal(err)
	}
	check("the token of a file that is gone", secret, http.StatusUnauthorized)
	if log := s.log.String(); !strings.Contains(log, "cannot be read any more") {
		t.Errorf("nobody is told that the token is gone:\n%s", log)
	}
}

func TestNewNeedsAGoodToken(t *testing.T) {
	short := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := short + ".pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{short: "at least 16", short + ".gone": "no such file", pipe: "no regular file", t.TempDir(): "no regular file"} {
		_, err := New(Config{Socket: filepath.Join(t.TempDir(), "s"), TokenFile: file})
		checked := CheckToken(file)
		for _, err := range []error{err, checked} {
			var wrong *core.AttributeError
			if !errors.As(err, &wrong) || wrong.Attribute != "token_file" || !strings.Contains(err.Error(), want) {
				t.Errorf("token file %s: %v, want an error of token_file with %q", file, err, want)
			}
		}
	}
	if err := CheckToken(""); err != nil {
		t.Errorf("no token file: %v", err)
	}
}

// A pipe in the place of a certificate is refused, not waited for.
func TestCertificatesAreRegularFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &certificates{certFile: pipe, keyFile: pipe}
	_, err := c.read()
	var wrong *core.AttributeError
	if !errors.As(err, &wrong) || wrong.Attribute != "tls.cert_file" || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a pipe as a certificate: %v, want an error of tls.cert_file", err)
	}
}

func TestReloadTakesTheNewTokenAndCodes(t *testing.T) {
	s := serve(t, nil)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("quite-another-token"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(Config{TokenFile: other + ".gone"}); err == nil {
		t.Error("a token file that is not there was taken over")
	}
	if got := s.resume(t, secret); got != http.StatusOK {
		t.Errorf("after a reload that failed: %d, want 200", got)
	}
	if err := s.Reload(Config{TokenFile: other, LeaderCode: 204}); err != nil {
		t.Fatal(err)
	}
	if old, now := s.resume(t, secret), s.resume(t, "quite-another-token"); old != http.StatusUnauthorized || now != http.StatusOK {
		t.Errorf("after the reload: %d by the old token, %d by the new one, want 401 and 200", old, now)
	}
	answer, err := s.unix.Get("http://electd/v1/elections/orders/leader")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		t.Errorf("leader: %d, want 204", answer.StatusCode)
	}
}

func TestClientCertificates(t *testing.T) {
	ours, others := t.TempDir(), t.TempDir()
	for _, dir := range []string{ours, others} {
		if _, err := pki.Init(dir, []pki.Node{{ID: "db-a", Hosts: []string{"127.0.0.1"}}, {ID: "operator"}}, pki.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	file := func(dir, name string) string { return filepath.Join(dir, name) }
	s := serve(t, func(c *Config) {
		c.TokenFile = ""
		c.CertFile, c.KeyFile, c.CAFile = file(ours, "db-a.pem"), file(ours, "db-a.key"), file(ours, "ca.pem")
	})
	url := strings.Replace(s.tcp, "http:", "https:", 1)
	by := func(dir, name string) *http.Client {
		roots := x509.NewCertPool()
		text, err := os.ReadFile(file(ours, "ca.pem"))
		if err != nil || !roots.AppendCertsFromPEM(text) {
			t.Fatal("no CA", err)
		}
		settings := &tls.Config{RootCAs: roots}
		if name != "" {
			certificate, err := tls.LoadX509KeyPair(file(dir, name+".pem"), file(dir, name+".key"))
			if err != nil {
				t.Fatal(err)
			}
			// Shown whatever the server asks for.
			settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
		}
		transport := &http.Transport{TLSClientConfig: settings}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
	post := func(c *http.Client) (int, error) {
		answer, err := c.Post(url+"/v1/elections/orders/resume", "application/json", nil)
		if err != nil {
			return 0, err
		}
		defer answer.Body.Close()
		return answer.StatusCode, nil
	}
	if code, err := post(by("", "")); err != nil || code != http.StatusUnauthorized {
		t.Errorf("without a certificate: %d, %v, want 401", code, err)
	}
	if code, err := post(by(ours, "operator")); err != nil || code != http.StatusOK {
		t.Errorf("with a certificate: %d, %v, want 200", code, err)
	}
	if code, err := post(by(others, "operator")); err == nil {
		t.Errorf("with a certificate of another authority: %d, want the handshake to fail", code)
	}
	if log := s.log.String(); !strings.Contains(log, `certificate \"operator\"`) {
		t.Errorf("the log does not name the certificate:\n%s", log)
	}

	// The certificate is renewed while the server runs; half of it comes first.
	certificate, _ := os.ReadFile(file(ours, "db-a.pem"))
	os.WriteFile(file(ours, "db-a.pem"), certificate[:len(certificate)/2], 0o600)
	if code, err := post(by(ours, "operator")); err != nil || code != http.StatusOK {
		t.Errorf("with a broken new certificate: %d, %v, want the old one to go on", code, err)
	}
	for _, name := range []string{"db-a.pem", "db-a.key", "ca.pem"} {
		text, err := os.ReadFile(file(others, name))
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file(ours, name+".new"), text, 0o600)
		os.Rename(file(ours, name+".new"), file(ours, name))
	}
	if code, err := post(by(others, "operator")); err != nil || code != http.StatusOK {
		t.Errorf("after the renewal: %d, %v, want 200", code, err)
	}
}

// TestABrowserIsNotMadeToChangeThings: another site's page in the browser of an
// operator, whose certificate or socket would allow it.
func TestABrowserIsNotMadeToChangeThings(t *testing.T) {
	s := serve(t, nil)
	for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"} {
		r, err := http.NewRequest("POST", "http://electd/v1/elections/orders/resume", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(header, value)
		answer, err := s.unix.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("with %s: %s it was answered %d, want 403", header, value, answer.StatusCode)
		}
	}
}

func TestWhoAskedIsInTheLog(t *testing.T) {
	s := serve(t, nil)
	answer, err := s.unix.Post("http://electd/v1/elections/orders/pause", "application/json", strings.NewReader(`{"for_ms":1000}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	s.resume(t, "")
	deadline := time.Now().Add(5 * time.Second)
	for !strings.Contains(s.log.String(), "is refused") && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	log := s.log.String()
	for _, want := range []string{"request=pause", "election=orders", "for_ms=1000", `by="user `, "a request is refused", "by=127.0.0.1:"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q:\n%s", want, log)
		}
	}
}

func TestATokenInPlainTextIsWarnedOf(t *testing.T) {
	for listen, warned := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		s := serve(t, func(c *Config) { c.Listen = listen })
		if got := strings.Contains(s.log.String(), "in plain text"); got != warned {
			t.Errorf("listening on %s: warned %v, want %v", listen, got, warned)
		}
	}
}

func TestRequestsThatNobodyAnswers(t *testing.T) {
	s := serve(t, nil)
	for _, c := range []struct {
		method, path string
		code         int
		allow        string
	}{
		{"GET", "/v2/node", http.StatusNotFound, ""},
		{"POST", "/v1/node", http.StatusMethodNotAllowed, "GET"},
		{"GET", "/v1/elections/orders/pause", http.StatusMethodNotAllowed, "POST"},
		{"GET", "/v1/elections/orders/guards/g1", http.StatusMethodNotAllowed, "PUT, DELETE"},
	} {
		r, err := http.NewRequest(c.method, "http://electd"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.unix.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.code || answer.Header.Get("Allow") != c.allow || !strings.Contains(string(text), `{"error":`) {
			t.Errorf("%s %s: %d, Allow %q, %s; want %d and %q", c.method, c.path, answer.StatusCode, answer.Header.Get("Allow"), text, c.code, c.allow)
		}
	}
}
