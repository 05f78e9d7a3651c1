package service

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// fluttering is the health block of a node whose checks, once a file exists, go as
// that pattern says, again and again: f fails, s succeeds.
func fluttering(from, pattern string) string {
	script := fmt.Sprintf(`test -e %[1]s || exit 0
n=$(wc -c <%[1]s); printf . >>%[1]s
case $(printf %%s %[2]s | cut -c $((n %% %[3]d + 1))) in f) exit 1;; esac`, from, pattern, len(pattern))
	return fmt.Sprintf("  health {\n    command  = [\"sh\", \"-c\", %q]\n    interval = \"50ms\"\n    timeout  = \"10s\"\n  }\n", script)
}

// A check that comes and goes does not move the leadership, neither away from a
// healthy leader nor back to a node that is not well for long: with the default
// thresholds three failures in a row stand a node aside, and two good checks bring
// it back.
func TestAFlutteringCheckDoesNotMoveLeadership(t *testing.T) {
	t.Parallel()
	a, b := paired(t, "HEALTH\n")
	begins := func(d *daemon) string { return filepath.Join(d.dir, d.name+".flutters") }
	checks := func(d *daemon) int {
		n := 0
		for _, line := range lines(begins(d)) {
			n += len(line)
		}
		return n
	}
	a.edit("HEALTH\n", fluttering(begins(a), "ffs"))
	b.edit("HEALTH\n", fluttering(begins(b), "fffs"))
	a.start()
	b.start()
	carriedOne(t, a, b)
	if !a.wait("known", func(e client.Election) bool { return e.Leader != "" }).Leading {
		b.command("step-down", "orders", "--to", a.name, "--wait")
	}
	epoch := a.wait("leading", carried).Epoch
	fall(t, begins(a))
	fall(t, begins(b))
	eventually(t, "both have fluttered for long", func() bool { return checks(a) > 40 && checks(b) > 40 })
	if e := a.wait("as before", func(e client.Election) bool { return e.Leading }); e.Epoch != epoch || !e.Healthy {
		t.Errorf("two failures, one success: %s is at epoch %d, healthy %v; want it to lead at %d as before", a.name, e.Epoch, e.Healthy, epoch)
	}

	// The other one is aside all the time, though every fourth check is good.
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if e := b.wait("answering", func(client.Election) bool { return true }); e.Healthy || e.Leading {
			t.Fatalf("three failures, one success: %s is healthy %v and leads %v, want it to stand aside", b.name, e.Healthy, e.Leading)
		}
	}
}
