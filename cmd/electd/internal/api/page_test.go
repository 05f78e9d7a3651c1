package api

import (
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// inline is what the content security policy forbids: a browser would pass over it
// in silence.
var inline = regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script[^>]*>[^<]`)

// elsewhere is an address on another host. A namespace is none.
var elsewhere = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)

func TestThePageNeedsNothingFromElsewhere(t *testing.T) {
	err := fs.WalkDir(web, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(web, name)
		if err != nil {
			return err
		}
		without := strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", "")
		if found := elsewhere.FindString(without); found != "" {
			t.Errorf("%s names %s", name, found)
		}
		if found := inline.FindString(without); found != "" && strings.HasSuffix(name, ".html") {
			t.Errorf("%s has something inline: %s", name, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestThePageIsServedWithItsPolicy(t *testing.T) {
	s := serve(t, nil)
	for _, f := range files {
		path := strings.TrimSuffix(f.path, "{$}")
		answer, err := http.Get(s.tcp + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || len(text) == 0 {
			t.Errorf("%s: %d, %d bytes, %v", path, answer.StatusCode, len(text), err)
		}
		header := answer.Header
		if kind := header.Get("Content-Type"); kind != f.kind {
			t.Errorf("%s is sent as %q, want %q", path, kind, f.kind)
		}
		policy := header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is sent with %v", path, header)
		}
	}
}
