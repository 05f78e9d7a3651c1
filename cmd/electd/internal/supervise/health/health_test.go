package health_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/health"
	"github.com/electd/electd/internal/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type change struct {
	healthy bool
	why     string
}

func start(t *testing.T, c health.Config) chan change {
	t.Helper()
	changes := make(chan change, 100)
	if c.Interval == 0 {
		c.Interval = 5 * time.Millisecond
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	g, err := health.Start(c, func(healthy bool, why string) { changes <- change{healthy, why} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return changes
}

// expect takes the next change, whose reason names all of words.
func expect(t *testing.T, changes chan change, healthy bool, words ...string) {
	t.Helper()
	select {
	case c := <-changes:
		if c.healthy != healthy {
			t.Fatalf("healthy: %t because %s", c.healthy, c.why)
		}
		for _, w := range words {
			if !strings.Contains(c.why, w) {
				t.Errorf("%q does not name %q", c.why, w)
			}
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("no change in 20 s, want healthy: %t", healthy)
	}
}

func TestCommand(t *testing.T) {
	sick := t.TempDir() + "/sick"
	changes := start(t, health.Config{
		Command: []string{"sh", "-c", `if [ -e "$SICK" ]; then echo "no disk for $ELECTD_ELECTION"; exit 4; fi`},
		Env:     map[string]string{"SICK": sick},
		Set:     []string{"ELECTD_ELECTION=orders"},
	})
	expect(t, changes, true)
	if err := os.WriteFile(sick, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, changes, false, "sh", "exit status 4", "no disk for orders")
	if err := os.Remove(sick); err != nil {
		t.Fatal(err)
	}
	expect(t, changes, true, "succeeds")
}

func TestHTTP(t *testing.T) {
	var code atomic.Int64
	code.Store(204)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(int(code.Load()))
		if code.Load() == 503 {
			fmt.Fprintln(w, "replaying the log\nand more")
		}
	}))
	defer server.Close()
	changes := start(t, health.Config{HTTP: server.URL + "/healthz", Failures: 2, Successes: 2})
	expect(t, changes, true)
	code.Store(503)
	expect(t, changes, false, "GET", "/healthz", "503 Service Unavailable", "replaying the log")
	code.Store(200)
	expect(t, changes, true)
	code.Store(302)
	expect(t, changes, false, "302 Found")
	before := asked.Load()
	for asked.Load() < before+5 {
		time.Sleep(time.Millisecond)
	}
	if len(changes) > 0 {
		t.Errorf("a change without cause: %+v", <-changes)
	}
}

func TestNobodyListens(t *testing.T) {
	expect(t, start(t, health.Config{HTTP: "http://" + servers.FreeAddress(t)}), false, "refused")
}

func TestNoAnswerInTime(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, c := range map[string]health.Config{
		"http":    {HTTP: "http://" + l.Addr().String()},
		"command": {Command: []string{"sh", "-c", "sleep 60"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Timeout = 50 * time.Millisecond
			expect(t, start(t, c), false, "no answer in time", "50ms")
		})
	}
}

func TestCloseDuringACheck(t *testing.T) {
	g, err := health.Start(health.Config{Command: []string{"sleep", "60"}}, func(bool, string) { t.Error("an answer") })
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	g.Close()
	g.Close()
}

func TestBadConfigs(t *testing.T) {
	for want, c := range map[string]health.Config{
		"not both":              {Command: []string{"x"}, HTTP: "http://x/"},
		"needs a command":       {},
		"localhost:80":          {HTTP: "localhost:80"},
		"ftp://x":               {HTTP: "ftp://x"},
		"negative":              {Command: []string{"x"}, Interval: -1},
		"electd's to set":       {Command: []string{"x"}, Env: map[string]string{"ELECTD_X": ""}},
		"no name of an environ": {Command: []string{"x"}, Env: map[string]string{"": ""}},
	} {
		if _, err := health.Start(c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
