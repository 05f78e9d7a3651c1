package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/etcd"
	"github.com/electd/electd/arbiter/etcd/etcdtest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, c etcd.Config) *etcd.Arbiter {
	t.Helper()
	a, err := etcd.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestConformance(t *testing.T) {
	address := etcdtest.Start(t)
	arbitertest.Run(t, arbitertest.Harness{
		Open: func(ctx context.Context) (core.Arbiter, error) {
			return etcd.New(ctx, etcd.Config{Endpoints: []string{address}})
		},
		OpenFaulty: func(ctx context.Context) (core.Arbiter, arbitertest.Faults, error) {
			proxy := etcdtest.NewProxy(t, address)
			a, err := etcd.New(ctx, etcd.Config{Endpoints: []string{proxy.Address}})
			return a, proxy.Faults(), err
		},
	})
}

func TestNothingSentIsUnavailable(t *testing.T) {
	address := servers.FreeAddress(t)
	a := open(t, etcd.Config{Endpoints: []string{address}})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")})
	if core.WriteOutcome(err) != core.Unavailable || !strings.Contains(err.Error(), address) {
		t.Errorf("a write to nobody: %v, want unavailable and the address", err)
	}
	if _, err = a.Read(ctx, "k"); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a read from nobody: %v", err)
	}
}

// A cluster that was away for a while is used again soon after it is back.
func TestClusterComesBack(t *testing.T) {
	address := etcdtest.Start(t)
	gone := etcdtest.NewGate(t, address)
	a := open(t, etcd.Config{Endpoints: []string{gone.Address}})
	if _, err := a.Read(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	gone.Shut()
	deadline := time.Now().Add(4 * time.Second) // long enough for a backoff to grow
	for time.Now().Before(deadline) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := a.Read(ctx, "k"); err == nil {
			t.Fatal("a read through a shut gate succeeded")
		}
		cancel()
	}
	gone.Open()
	begun := time.Now()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := a.Read(ctx, "k")
		cancel()
		if err == nil {
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("10 s after it came back: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestUserAndPassword(t *testing.T) {
	address := etcdtest.Start(t)
	etcdtest.DemandUser(t, address, "electd", "s3cret", "electd/")
	right := etcd.Config{Endpoints: []string{address}, Username: "electd", Password: "s3cret"}
	a := open(t, right)
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		change func(*etcd.Config)
		advice string
	}{
		{"no user", func(c *etcd.Config) { c.Username, c.Password = "", "" }, "set username and password"},
		{"wrong password", func(c *etcd.Config) { c.Password = "guess" }, "check username and password"},
		{"no right to these keys", func(c *etcd.Config) { c.Prefix = "other" }, "keys under prefix"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := right
			c.change(&config)
			a := open(t, config)
			_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
			if core.WriteOutcome(err) != core.Denied || !strings.Contains(err.Error(), c.advice) {
				t.Errorf("write: %v, want denied and %q", err, c.advice)
			}
			if _, err = a.Read(t.Context(), "k"); core.ReadOutcome(err) != core.Denied {
				t.Errorf("read: %v, want denied", err)
			}
		})
	}
}

// Tokens expire while a healthy pair asks nothing for hours; the first write
// afterwards must succeed.
func TestExpiredToken(t *testing.T) {
	address := etcdtest.Start(t, "--auth-token-ttl", "1", "--bcrypt-cost", "4")
	etcdtest.DemandUser(t, address, "electd", "s3cret", "electd/")
	a := open(t, etcd.Config{Endpoints: []string{address}, Username: "electd", Password: "s3cret"})
	v, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	if _, err = a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Expected: v, Record: []byte("s")}); err != nil {
		t.Errorf("the first write after a pause: %v", err)
	}
	time.Sleep(3 * time.Second)
	if _, err := a.Watch(t.Context(), "k"); err != nil {
		t.Errorf("the first watch after a pause: %v", err)
	}
	time.Sleep(3 * time.Second)
	if _, err := a.Read(t.Context(), "k"); err != nil {
		t.Errorf("the first read after a pause: %v", err)
	}
}

func TestWatchEndsWithTheArbiter(t *testing.T) {
	a := open(t, etcd.Config{Endpoints: []string{etcdtest.Start(t)}})
	hints, err := a.Watch(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case s := <-hints:
		if s.Version != v || string(s.Record) != "r" {
			t.Errorf("the watch sent %+v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the watch sent nothing")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case _, more := <-hints:
		if more {
			t.Error("the watch sent more")
		}
	case <-time.After(10 * time.Second):
		t.Error("the watch did not end with the arbiter")
	}
	if _, err := a.Watch(t.Context(), "k"); !errors.Is(err, core.ErrUnavailable) {
		t.Errorf("a watch after Close: %v", err)
	}
}

func TestWrongAttributes(t *testing.T) {
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	https := []string{"https://a:2379"}
	cases := []struct {
		config    etcd.Config
		attribute string
		problem   string
	}{
		{etcd.Config{}, "endpoints", "is empty"},
		{etcd.Config{Endpoints: []string{"a"}}, "endpoints", "no host and port"},
		{etcd.Config{Endpoints: []string{"ftp://a:1"}}, "endpoints", "neither http:// nor https://"},
		{etcd.Config{Endpoints: []string{"http://a:1/x"}}, "endpoints", "more than a host and a port"},
		{etcd.Config{Endpoints: []string{"https://a:1", "b:1"}}, "endpoints", "mixes"},
		{etcd.Config{Endpoints: []string{"a:1"}, TLS: &etcd.TLS{}}, "endpoints", "not https://"},
		{etcd.Config{Endpoints: https, Password: "x"}, "username", "is missing"},
		{etcd.Config{Endpoints: https, Username: "x"}, "password", "is missing"},
		{etcd.Config{Endpoints: https, RequestTimeout: -1}, "request_timeout", "negative"},
		{etcd.Config{Endpoints: https, ConnectTimeout: -1}, "connect_timeout", "negative"},
		{etcd.Config{Endpoints: https, TLS: &etcd.TLS{CAFile: "/none"}}, "tls.ca_file", "no such file"},
		{etcd.Config{Endpoints: https, TLS: &etcd.TLS{CAFile: notPEM}}, "tls.ca_file", "no certificate"},
		{etcd.Config{Endpoints: https, TLS: &etcd.TLS{KeyFile: "k"}}, "tls.cert_file", "go together"},
		{etcd.Config{Endpoints: https, TLS: &etcd.TLS{CertFile: "/none", KeyFile: "/none"}}, "tls.cert_file", "no such file"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %s", c.attribute, c.problem), func(t *testing.T) {
			_, err := etcd.New(t.Context(), c.config)
			var fault *core.AttributeError
			if !errors.As(err, &fault) || fault.Attribute != c.attribute || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v is not about %s %s", err, c.attribute, c.problem)
			}
			if !errors.Is(err, core.ErrInvalid) {
				t.Errorf("%v is not invalid", err)
			}
		})
	}
}

func TestMutualTLS(t *testing.T) {
	c := etcdtest.NewCertificates(t)
	endpoint := "https://" + etcdtest.StartSecure(t, c)
	right := etcd.TLS{CAFile: c.CA, CertFile: c.ClientCert, KeyFile: c.ClientKey}
	a := open(t, etcd.Config{Endpoints: []string{endpoint}, TLS: &right})
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); err != nil {
		t.Errorf("with the right certificates: %v", err)
	}
	// A name that the certificate does not bear, unless another is asked for.
	named := strings.Replace(endpoint, "127.0.0.1", "localhost", 1)
	other := right
	other.ServerName = "127.0.0.1"
	a = open(t, etcd.Config{Endpoints: []string{named}, TLS: &other})
	if _, err := a.Read(t.Context(), "k"); err != nil {
		t.Errorf("with server_name: %v", err)
	}
	for name, wrong := range map[string]*etcd.TLS{
		"no certificate of its own": {CAFile: c.CA},
		"an unknown authority":      {CertFile: c.ClientCert, KeyFile: c.ClientKey},
		"another name":              {CAFile: c.CA, CertFile: c.ClientCert, KeyFile: c.ClientKey, ServerName: "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, etcd.Config{Endpoints: []string{endpoint}, TLS: wrong, RequestTimeout: time.Second})
			_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
			if core.WriteOutcome(err) != core.Unavailable {
				t.Errorf("%v, want unavailable: nothing was sent", err)
			}
		})
	}
}
