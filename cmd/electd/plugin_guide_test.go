package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	webstore "github.com/electd/electd/examples/webstore/store"
)

// The guide for plugin authors, followed to the letter: its listing is the
// example's file, and its commands lead from an empty folder to a plugin that
// electd has examined.
func TestPluginGuide(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	guide := readText(t, filepath.Join(root, "docs/plugins.md"))
	listing := readText(t, filepath.Join(root, "examples/plugin-go/main.go"))
	if fenced(guide, "go", "package main")[0] != listing {
		t.Fatal("the listing in docs/plugins.md is not examples/plugin-go/main.go: quote it anew")
	}
	server := httptest.NewServer(webstore.New())
	defer server.Close()

	place := strings.NewReplacer(
		"=../electd", "="+root,
		"cd electd-arbiter-web\n", "cd electd-arbiter-web\ncp "+filepath.Join(root, "go.sum")+" .\n", // needs no network then
		"http://127.0.0.1:8123", server.URL,
	)
	steps := fenced(guide, "sh", "electd-arbiter-web")
	if len(steps) != 3 {
		t.Fatalf("the guide has %d blocks of commands about electd-arbiter-web, not begin, build and verify", len(steps))
	}
	write := "cat >main.go <<'END OF LISTING'\n" + listing + "END OF LISTING\n"
	script := place.Replace(steps[0] + write + steps[1] + steps[2])

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-e")
	shell.Dir, shell.Stdin = t.TempDir(), strings.NewReader("umask 022\n"+script)
	shell.Env = append(os.Environ(), "PATH="+built+":"+os.Getenv("PATH"), "GOWORK=off")
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`[0-9]+ passed, 0 failed`).Match(out) {
		t.Errorf("it is not verified:\n%s", out)
	}
}

// fenced returns the code blocks of a language in a Markdown text that hold a word.
func fenced(text, language, word string) []string {
	var found []string
	for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		if strings.Contains(block[1], word) {
			found = append(found, block[1])
		}
	}
	return found
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
