package gcs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func TestAWrongAttributeIsNamed(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	garbage := filepath.Join(t.TempDir(), "garbage.json")
	if err := os.WriteFile(garbage, []byte("not json"), 0o600); err != nil {
		t.Fatal(err)
	}
	const local = "http://127.0.0.1:1"
	for name, c := range map[string]struct {
		config    gcs.Config
		attribute string
		says      string
	}{
		"no bucket":              {gcs.Config{Endpoint: local}, "bucket", "missing"},
		"bucket is a URL":        {gcs.Config{Bucket: "gs://leases", Endpoint: local}, "bucket", "bare name"},
		"bucket with a path":     {gcs.Config{Bucket: "leases/prod", Endpoint: local}, "bucket", "prefix"},
		"bucket with a capital":  {gcs.Config{Bucket: "Leases", Endpoint: local}, "bucket", "small letters"},
		"prefix":                 {gcs.Config{Bucket: "leases", Prefix: "a//b", Endpoint: local}, "prefix", "single slashes"},
		"prefix from the root":   {gcs.Config{Bucket: "leases", Prefix: "/prod", Endpoint: local}, "prefix", "begins with a slash"},
		"prefix upwards":         {gcs.Config{Bucket: "leases", Prefix: "prod/..", Endpoint: local}, "prefix", `path element ".."`},
		"endpoint, no scheme":    {gcs.Config{Bucket: "leases", Endpoint: "127.0.0.1:9023"}, "endpoint", "http://"},
		"endpoint with a path":   {gcs.Config{Bucket: "leases", Endpoint: local + "/storage/v1"}, "endpoint", "after the host"},
		"endpoint with a user":   {gcs.Config{Bucket: "leases", Endpoint: "http://me:secret@127.0.0.1:1"}, "endpoint", "credentials_file"},
		"credentials over http":  {gcs.Config{Bucket: "leases", Endpoint: local, CredentialsFile: garbage}, "credentials_file", "https://"},
		"credentials missing":    {gcs.Config{Bucket: "leases", CredentialsFile: garbage + "x"}, "credentials_file", "no such file"},
		"credentials garbage":    {gcs.Config{Bucket: "leases", CredentialsFile: garbage}, "credentials_file", "service account key"},
		"no default credentials": {gcs.Config{Bucket: "leases"}, "credentials_file", "GOOGLE_APPLICATION_CREDENTIALS"},
		"negative timeout":       {gcs.Config{Bucket: "leases", Endpoint: local, RequestTimeout: -time.Second}, "request_timeout", "negative"},
		"negative skew":          {gcs.Config{Bucket: "leases", Endpoint: local, ClockSkew: -time.Second}, "clock_skew", "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gcs.New(t.Context(), c.config)
			var attribute *core.AttributeError
			if !errors.As(err, &attribute) {
				t.Fatalf("got %v", err)
			}
			if attribute.Attribute != c.attribute || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, want %s and %q", err, c.attribute, c.says)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a secret: %q", err)
			}
		})
	}
}

func TestTheEmulatorVariableIsHonoured(t *testing.T) {
	server := servers.Gcsemulator(t)
	for _, host := range []string{server.Endpoint, strings.TrimPrefix(server.Endpoint, "http://")} {
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		a, err := gcs.New(t.Context(), gcs.Config{Bucket: server.Bucket})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Read(t.Context(), "orders/lease.json"); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
