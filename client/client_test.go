package client_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/electd/electd/client"
	"github.com/electd/electd/client/clienttest"
)

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:7401", "ftp://host", "http://"} {
		if _, err := client.New(address, client.Options{}); err == nil || !strings.Contains(err.Error(), "http://host:port") {
			t.Errorf("New(%q): %v, want an error that says what is wanted", address, err)
		}
	}
}

// A socket may be named as any other file, and stays the same one wherever the
// program goes afterwards.
func TestNewTakesAPathInAnyForm(t *testing.T) {
	dir, err := os.MkdirTemp("", "c-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "run", "api.sock")
	if err := os.Mkdir(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"node":"db-a"}`) })}
	go server.Serve(listener)
	defer server.Close()
	for _, c := range []struct{ from, address string }{
		{"/", socket}, {"/", "unix://" + socket}, {dir, "run/api.sock"}, {dir, "./run/api.sock"},
		{filepath.Dir(socket), "api.sock"}, {dir, "unix://run/api.sock"},
	} {
		t.Run(c.address, func(t *testing.T) {
			t.Chdir(c.from)
			api, err := client.New(c.address, client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer api.Close()
			t.Chdir("/")
			if n, err := api.Node(t.Context()); err != nil || n.Node != "db-a" {
				t.Errorf("node %q, %v", n.Node, err)
			}
		})
	}
}

func TestOverTCPOnlyTheTokenChangesThings(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	d := cluster.Leader("orders")
	for token, may := range map[string]bool{"": false, "not-the-token-at-all": false, clienttest.Token: true} {
		c, err := client.New(d.URL(), client.Options{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Election(t.Context(), "orders"); err != nil {
			t.Errorf("token %q: reading: %v", token, err)
		}
		_, err = c.Resume(t.Context(), "orders")
		var said *client.Error
		if refused := errors.As(err, &said) && said.Status == http.StatusUnauthorized; refused == may || may && err != nil {
			t.Errorf("token %q: changing: %v, allowed should be %v", token, err, may)
		}
	}
	if log := d.Log(); !strings.Contains(log, "request=resume") || !strings.Contains(log, `by="token from`) {
		t.Errorf("the log does not say who asked for what:\n%s", log)
	}
}

// TestOperatorsRequests walks through everything an operator can ask for.
func TestOperatorsRequests(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{})
	leader := cluster.Settled("orders")
	follower := cluster.Others(leader)[0]
	ctx := t.Context()

	done, err := follower.Client.StepDown(ctx, "orders", follower.Name)
	if err != nil || done.Outcome != client.OutcomeForwarded || done.To != leader.Name {
		t.Errorf("step-down asked of a follower: %+v, %v; want it forwarded to %s", done, err, leader.Name)
	}
	leader, follower = cluster.Await("the follower to lead", func() *clienttest.Daemon {
		if e, err := follower.Election("orders"); err != nil || !e.Leading {
			return nil
		}
		return follower
	}), leader
	if l := cluster.Settled("orders"); l != leader {
		t.Fatalf("%s leads, want %s", l.Name, leader.Name)
	}

	if _, err := follower.Client.Pause(ctx, "orders", 60e9); err != nil {
		t.Error(err)
	}
	cluster.Await("the leader to hear of the pause", func() *clienttest.Daemon {
		if e, err := leader.Election("orders"); err != nil || len(e.Peers) != 1 || !e.Peers[0].Paused {
			return nil
		}
		return leader
	})
	_, err = leader.Client.StepDown(ctx, "orders", "")
	var said *client.Error
	if !errors.As(err, &said) || said.Status != http.StatusConflict {
		t.Fatalf("a step-down with nobody to follow: %v, want it refused", err)
	}
	if e, _ := follower.Election("orders"); !e.Paused || e.PausedUntil.IsZero() {
		t.Errorf("paused: %+v", e)
	}
	if _, err := follower.Client.Resume(ctx, "orders"); err != nil {
		t.Error(err)
	}

	lease, err := follower.Client.Lease(ctx, "orders")
	if err != nil || lease.Found != "record" || !strings.Contains(string(lease.Record), `"holder":"`+leader.Name+`"`) {
		t.Errorf("lease: %+v, %v", lease, err)
	}
	e, err := follower.Election("orders")
	if err != nil || e.Leader != leader.Name || e.Holder != leader.Name || e.AgeMS < 0 || e.AgeMS > 2000 || e.ValidForMS > 2000 {
		t.Errorf("a follower's answer: %+v, %v", e, err)
	}
	for _, epoch := range []uint64{e.Epoch, e.Epoch + 1} {
		if _, err := follower.Client.Release(ctx, "orders", epoch); err == nil {
			t.Errorf("a lease that is held by a leader alive was released by force at epoch %d", epoch)
		}
	}
	if h, err := follower.Client.Ready(ctx); err != nil || !h.OK {
		t.Errorf("ready: %+v, %v", h, err)
	}
}

// TestReleaseByForce: the holder is gone for good, and nobody waits out its lease.
func TestReleaseByForce(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{})
	leader := cluster.Settled("orders")
	follower := cluster.Others(leader)[0]
	if _, err := follower.Client.Pause(t.Context(), "orders", 60e9); err != nil {
		t.Fatal(err)
	}
	before, _ := follower.Election("orders")
	leader.Kill()
	cluster.Await("no leader", func() *clienttest.Daemon {
		if e, err := follower.Election("orders"); err != nil || e.Leader != "" || e.Peers[0].Connected {
			return nil
		}
		return follower
	})
	if e, _ := follower.Election("orders"); e.Holder != leader.Name || e.ValidForMS != 0 {
		t.Errorf("after the leader's lease: holder %q, valid for %d ms; want %q and 0", e.Holder, e.ValidForMS, leader.Name)
	}
	if _, err := follower.Client.Release(t.Context(), "orders", before.Epoch); err != nil {
		t.Fatal(err)
	}
	lease, err := follower.Client.Lease(t.Context(), "orders")
	if err != nil || !strings.Contains(string(lease.Record), `"state":"vacant"`) {
		t.Errorf("after the release: %s, %v", lease.Record, err)
	}
	if _, err := follower.Client.Resume(t.Context(), "orders"); err != nil {
		t.Fatal(err)
	}
	cluster.Await("the follower to lead at the next epoch", func() *clienttest.Daemon {
		if e, err := follower.Election("orders"); err != nil || !e.Leading || e.Epoch != before.Epoch+1 {
			return nil
		}
		return follower
	})
}
