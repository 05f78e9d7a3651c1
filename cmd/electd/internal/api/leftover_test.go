package api

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyALeftoverSocketIsRemoved(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Socket: file}); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file in the socket's place: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "secret" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Socket: path}); err == nil || !strings.Contains(err.Error(), "another daemon") {
		t.Errorf("a socket that answers: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	s, err := New(Config{Socket: path})
	if err != nil {
		t.Fatalf("a leftover: %v", err)
	}
	s.Close()
}
