// Package stores_test validates the examples and probes those whose servers can be
// started here.
package stores_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/internal/build"
	"github.com/electd/electd/internal/servers"
)

// programs is the folder with electd.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, build.Electd))
}

// electd runs a command with what an operator would have set.
func electd(t *testing.T, environment []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(programs, "electd"), args...)
	c.Env = append(append(os.Environ(), "STORE_KEY_ID=electd-test", "STORE_SECRET=electd-test-secret"), environment...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Errorf("electd %s: %v\n%s", strings.Join(args, " "), err, &out)
	}
	return out.String()
}

// googleAccount is a service account's file, of no account that exists.
func googleAccount(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "acme", "client_email": "electd@acme.iam.gserviceaccount.com",
		"token_uri":   "http://127.0.0.1:1/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryFileIsValid(t *testing.T) {
	files, err := filepath.Glob("*.hcl")
	if err != nil || len(files) != 5 {
		t.Fatalf("%q, %v; want five", files, err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	account := googleAccount(t)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			electd(t, []string{"GOOGLE_APPLICATION_CREDENTIALS=" + account, "AWS_EC2_METADATA_DISABLED=true"}, "validate", "--config", file)
			if !strings.Contains(string(readme), "("+file+")") {
				t.Errorf("the README does not name %s", file)
			}
		})
	}
}

// placed returns a copy of an example for a server that runs here.
func placed(t *testing.T, file string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(text), replace[i]) {
			t.Fatalf("%s has no %q", file, replace[i])
		}
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProbeOfVersitygw(t *testing.T) {
	s := servers.Versitygw(t)
	path := placed(t, "versitygw.hcl", "http://10.0.0.9:7070", s.Endpoint, "acme-ha", s.Bucket)
	if out := electd(t, nil, "probe", "--config", path); !strings.Contains(out, "The store keeps what an election needs") {
		t.Errorf("it says\n%s", out)
	}
}

func TestProbeOfGoogles(t *testing.T) {
	s := servers.Gcsemulator(t)
	path := placed(t, "gcs.hcl", "acme-ha", s.Bucket)
	host := strings.TrimPrefix(s.Endpoint, "http://")
	if out := electd(t, []string{"STORAGE_EMULATOR_HOST=" + host}, "probe", "--config", path); !strings.Contains(out, "The store keeps what an election needs") {
		t.Errorf("it says\n%s", out)
	}
}
