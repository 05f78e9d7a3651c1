package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client/clienttest"
)

// entry is a line of the ledger.
type entry struct {
	epoch uint64
	name  string
}

func read(t *testing.T, path string) []entry {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out []entry
	for line := range strings.Lines(string(text)) {
		var e entry
		if _, err := fmt.Sscan(line, &e.epoch, &e.name); err != nil {
			t.Fatalf("the ledger has the line %q", line)
		}
		out = append(out, e)
	}
	return out
}

// TestTwoProgramsNeverWriteAtOnce runs the program at both daemons of a pair, and
// breaks the pair in every way.
func TestTwoProgramsNeverWriteAtOnce(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cluster := clienttest.Start(t, clienttest.Options{})
	path := filepath.Join(t.TempDir(), "ledger.txt")
	for _, d := range cluster.Nodes {
		c := exec.Command(binary, "-api", d.Socket, "-ledger", path, "-name", d.Name)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Process.Signal(syscall.SIGTERM)
			if err := c.Wait(); err != nil {
				t.Errorf("the program beside %s: %v", d.Name, err)
			}
			if strings.Contains(out.String(), errDeposed.Error()) {
				t.Errorf("the program beside %s wrote after the next leader:\n%s", d.Name, out.String())
			}
		})
	}
	writes := func(d *clienttest.Daemon) bool {
		all := read(t, path)
		return len(all) > 0 && all[len(all)-1].name == d.Name
	}
	leader := cluster.Settled("orders")
	for _, strike := range []func(d *clienttest.Daemon){
		(*clienttest.Daemon).Freeze,
		(*clienttest.Daemon).Kill,
		func(d *clienttest.Daemon) {
			if _, err := d.Client.StepDown(t.Context(), "orders", ""); err != nil {
				t.Fatal(err)
			}
		},
	} {
		cluster.Await("the program to write", func() *clienttest.Daemon {
			if writes(leader) {
				return leader
			}
			return nil
		})
		strike(leader)
		next := cluster.Others(leader)[0]
		cluster.Await("the other program to write", func() *clienttest.Daemon {
			if writes(next) {
				return next
			}
			return nil
		})
		if leader.Running() {
			leader.Thaw()
		} else {
			leader.Start()
		}
		leader = cluster.Settled("orders")
	}
	time.Sleep(50 * time.Millisecond)
	all := read(t, path)
	for i := 1; i < len(all); i++ {
		before, after := all[i-1], all[i]
		if after.epoch < before.epoch || after.epoch == before.epoch && after.name != before.name {
			t.Errorf("entry %d is %v, after %v", i+1, after, before)
		}
	}
	if last := all[len(all)-1].epoch; last != 4 {
		t.Errorf("the last epoch is %d, want 4: one for each change of leader", last)
	}
}

func TestLedgerRefusesAnOlderEpoch(t *testing.T) {
	l := ledger{filepath.Join(t.TempDir(), "ledger.txt")}
	for _, c := range []struct {
		epoch   uint64
		refused bool
	}{{1, false}, {3, false}, {2, true}, {3, false}} {
		if err := l.write(c.epoch, "somebody"); errors.Is(err, errDeposed) != c.refused || err != nil && !c.refused {
			t.Errorf("epoch %d: %v, want refused %v", c.epoch, err, c.refused)
		}
	}
}
