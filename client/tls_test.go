package client_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/electd/electd/client"
)

// A program finds the authority of an https API in its environment, and learns
// whose certificate was not the right one. cmd/electd tests the same on a daemon.
func TestEnvironmentNamesTheAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"node":"db-a"}`))
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ELECTD_API", server.URL)
	for set, want := range map[string]string{"": "by no authority that this machine knows", file: ""} {
		t.Setenv("ELECTD_CA_FILE", set)
		c, err := client.FromEnvironment()
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Node(t.Context())
		switch {
		case want == "" && (err != nil || n.Node != "db-a"):
			t.Errorf("with the authority: %+v, %v", n, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("without the authority: %v, want an error with %q", err, want)
		}
	}
	t.Setenv("ELECTD_API", "/run/electd/api.sock") // which needs no authority, and minds none
	if _, err := client.FromEnvironment(); err != nil {
		t.Error(err)
	}
}
