package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/client"
	"github.com/electd/electd/client/clienttest"
)

// TestEventsFollowADaemon: what the daemon remembers comes first, then what
// happens, and Ctrl-C ends it.
func TestEventsFollowADaemon(t *testing.T) {
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	d := cluster.Leader("orders")
	c := exec.Command(clienttest.Electd(t), "events", "orders", "--api", d.Socket, "--json")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(out)
	stepped := false
	for want := uint64(1); ; want++ {
		var e struct {
			ID         string
			Transition client.Transition
		}
		if err := lines.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Transition.ID != want || !strings.HasSuffix(e.ID, fmt.Sprintf(".%d", want)) {
			t.Fatalf("event %+v, want transition %d", e, want)
		}
		if e.Transition.To == "leading" && stepped {
			break
		}
		if e.Transition.To == "leading" {
			stepped = true
			if _, err := d.Client.StepDown(t.Context(), "orders", ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Process.Signal(syscall.SIGINT)
	if err := c.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v, want exit status 0", err)
	}
}

func TestEventsOfAnUnknownElectionFail(t *testing.T) {
	cluster := clienttest.Start(t, clienttest.Options{Nodes: []string{"db-a"}})
	c := exec.Command(clienttest.Electd(t), "events", "invoices", "--api", cluster.Nodes[0].Socket)
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Run(); c.ProcessState.ExitCode() != exitFailed || !strings.Contains(errs.String(), `no election "invoices"`) {
		t.Errorf("%v, exit status %d, want %d:\n%s", err, c.ProcessState.ExitCode(), exitFailed, errs.String())
	}
}
