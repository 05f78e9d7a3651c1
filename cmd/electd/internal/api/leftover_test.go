package api

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// A socket that somebody removed is made anew, for its owner alone; who was
// connected stays connected, and what another one put in its place is left alone.
func TestARemovedSocketIsMadeAnew(t *testing.T) {
	s := serve(t, nil)
	path := s.config.Socket
	stays, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer stays.Close()
	for range 2 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}}}
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			answer, err := fresh.Get("http://electd/livez")
			if err == nil {
				answer.Body.Close()
				break
			}
			if time.Now().After(end) {
				t.Fatalf("nobody answers any more: %v", err)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the new socket has the mode %v (%v), want 0600", info.Mode(), err)
		}
	}
	if _, err := stays.Write([]byte("GET /livez HTTP/1.1\r\nHost: electd\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	stays.SetReadDeadline(time.Now().Add(20 * time.Second))
	if line, err := bufio.NewReader(stays).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Errorf("who was connected before is answered %q, %v", line, err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("a file in the socket's place is now %q, %v", text, err)
	}
}
