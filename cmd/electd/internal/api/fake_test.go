package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"github.com/electd/electd/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a daemon that stands as the test says.
type fake struct {
	mu      sync.Mutex
	node    client.Node
	status  client.Election
	lease   client.Lease
	err     error // of whatever is asked
	done    client.Done
	hang    chan struct{} // Node does not answer before it is closed
	entries []client.Transition
	news    chan struct{}
}

func newFake() *fake {
	at := time.Date(2030, 1, 2, 3, 4, 5, 6e6, time.UTC)
	f := &fake{
		node: client.Node{
			Node: "db-a", Session: "s1", Version: "1.2.3", StartedAt: at,
			Arbiter: client.Arbiter{
				Name: "s3", Version: "1", Running: true, Restarts: 2, Problem: "none", Probe: "passed",
				Credentials: &client.Credentials{Source: "web identity", ID: "AKIA1", ExpiresAt: at, Problem: "no token"},
				Problems:    []string{"renew the token"}, Preferred: "db-b",
			},
		},
		status: client.Election{
			Election: "orders", Node: "db-a", Session: "s1", Role: "leader", Phase: "leading", Leading: true,
			Epoch: 7, Revision: 9, Floor: 7, Leader: "db-a", Holder: "db-a",
			Addresses: client.Addresses{Peer: "10.0.0.1:7400", API: "10.0.0.1:7401"}, ValidForMS: 800, Why: "leading",
			Because: "promoted", Trouble: "nothing", AuthorityMS: 1300, ActForMS: 800, Priority: 100, Healthy: true,
			HealthWhy: "fine", Paused: true, PausedUntil: at, Stranger: true, ArbiterLeaseMS: 30000, HeartbeatLeaseMS: 1500,
			Electors: []string{"db-a", "db-b"},
			Peers:    []client.Peer{{Node: "db-b", Connected: true, Problem: "none", Elector: true, Acknowledges: true, Eligible: true, Priority: 100, API: "10.0.0.2:7401", Version: "1.2.3"}},
			Requests: client.Requests{Reads: 1, Writes: 2, LastError: "none"}, Transitions: []client.Transition{},
		},
		lease: client.Lease{Found: "record", Version: "v1", AgeMS: 5, Record: []byte(`{"format":1}`)},
		done:  client.Done{Outcome: client.OutcomeDone},
		news:  make(chan struct{}),
	}
	f.add("taking", "promoting")
	return f
}

// add has something happen.
func (f *fake) add(from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := uint64(1)
	if n := len(f.entries); n > 0 {
		id = f.entries[n-1].ID + 1
	}
	f.entries = append(f.entries, client.Transition{ID: id, At: time.Now(), Election: "orders", From: from, To: to, Epoch: 7, Leader: "db-a", Reason: "so", TookMS: 3})
	f.status.Transitions = f.entries
	close(f.news)
	f.news = make(chan struct{})
}

func (f *fake) set(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fake) Node() client.Node {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.node
	n.Elections = []client.Election{f.status}
	return n
}

func (f *fake) Election(name string) (Election, bool) { return f, name == "orders" }

func (f *fake) Transitions(after uint64) ([]client.Transition, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []client.Transition
	for _, e := range f.entries {
		if e.ID > after {
			out = append(out, e)
		}
	}
	return out, f.news
}

func (f *fake) ReloadPlugin(_ context.Context, name string) (client.Plugin, error) {
	return client.Plugin{Name: name, Version: "2", Before: "1", Path: "/p", SHA256: "5", PID: 7}, f.answer()
}

func (f *fake) Status() client.Election {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *fake) answer() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fake) Lease(context.Context) (client.Lease, error) { return f.lease, f.answer() }

func (f *fake) StepDown(context.Context, string) (client.Done, error) { return f.done, f.answer() }

func (f *fake) Pause(time.Duration) error { return f.answer() }

func (f *fake) Resume() error { return f.answer() }

func (f *fake) Admit() error { return f.answer() }

func (f *fake) Release(context.Context, uint64) (client.Done, error) { return f.done, f.answer() }

var errRefused = errors.New("no other eligible node is reachable")

// served is a server that answers, and clients of both of its listeners.
type served struct {
	*Server
	source *fake
	unix   *http.Client // any host
	tcp    string       // URL
	token  string       // the file
	log    *sink
}

const secret = "a-token-that-is-long-enough"

// serve starts a server with a token. change may change its configuration.
func serve(t testing.TB, change func(*Config)) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "api-") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	out := &served{source: newFake(), token: filepath.Join(dir, "token"), log: &sink{}}
	if err := os.WriteFile(out.token, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Config{
		Socket: filepath.Join(dir, "api.sock"), Listen: "127.0.0.1:0", TokenFile: out.token,
		Log: hclog.New(&hclog.LoggerOptions{Output: out.log}),
	}
	if change != nil {
		change(&c)
	}
	if out.Server, err = New(c); err != nil {
		t.Fatal(err)
	}
	out.Serve(out.source)
	t.Cleanup(func() { out.Close() })
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", c.Socket)
	}}
	out.unix = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	out.tcp = "http://" + out.Advertise()
	return out
}

// sink is a log that can be read while it is written.
type sink struct {
	mu   sync.Mutex
	text []byte
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}
