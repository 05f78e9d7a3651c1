package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/internal/build"
	"github.com/electd/electd/internal/servers"
)

var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, "github.com/electd/electd/examples/webstore"))
}

// ask sends a request and returns the status, the ETag and the body.
func ask(t *testing.T, method, url, body string, header ...string) (status int, tag, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(header) == 2 {
		request.Header.Set(header[0], header[1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", ""
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("ETag"), string(content)
}

// The store does what its README says, as a program of its own.
func TestItHonoursConditions(t *testing.T) {
	address := servers.FreeAddress(t)
	server := exec.Command(filepath.Join(programs, "webstore"), "--listen", address)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	url := "http://" + address + "/orders/lease.json"
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if status, _, _ := ask(t, "GET", url, ""); status == http.StatusNotFound {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("what nobody has put is answered %d, want 404", status)
		}
	}
	status, first, _ := ask(t, "PUT", url, "one", "If-None-Match", "*")
	if status/100 != 2 || first == "" || strings.HasPrefix(first, "W/") {
		t.Fatalf("a create: %d, ETag %q, want a strong one", status, first)
	}
	for _, c := range []struct {
		header, value string
		want          int
	}{{"If-None-Match", "*", 412}, {"If-Match", `"other"`, 412}, {"If-Match", first, 2}} {
		status, _, _ := ask(t, "PUT", url, "two", c.header, c.value)
		if status != c.want && status/100 != c.want {
			t.Errorf("%s: %s is answered %d, want %d", c.header, c.value, status, c.want)
		}
	}
	if status, tag, text := ask(t, "GET", url, ""); status != http.StatusOK || text != "two" || tag == first {
		t.Errorf("at last it answers %d, %q with the ETag %s", status, text, tag)
	}
}
