package service

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// sick is the health block of a node that is not healthy while a file exists.
func sick(path string) string {
	return fmt.Sprintf("  health {\n    command  = [\"sh\", \"-c\", \"! test -e %s || { echo the disk is full; exit 1; }\"]\n    interval = \"100ms\"\n    timeout  = \"10s\"\n    failures = 2\n  }\n", path)
}

// The health gate: a failing leader hands over to a healthy node; a failing
// follower stands aside; a failing leader without a healthy follower stays.
func TestHealth(t *testing.T) {
	t.Parallel()
	a, b := paired(t, "HEALTH\n")
	file := func(d *daemon) string { return filepath.Join(d.dir, d.name+".sick") }
	for _, d := range []*daemon{a, b} {
		d.edit("HEALTH\n", sick(file(d)))
		d.start()
	}
	leader, follower := carriedOne(t, a, b)

	fall(t, file(leader))
	follower.wait("leading because the other one is not healthy", func(e client.Election) bool { return e.Leading && e.Epoch == 2 })
	leader.says(`because="this node is not healthy"`, "this node is not healthy: it does not stand")
	aside := leader.wait("standing aside", func(e client.Election) bool { return e.Role == "follower" && !e.Healthy })
	if !strings.Contains(aside.HealthWhy, "the disk is full") {
		t.Errorf("health_why is %q, want the check's last words in it", aside.HealthWhy)
	}
	if !strings.Contains(aside.Why, "this node is not healthy") {
		t.Errorf("why is %q, want it to say that this node is not healthy", aside.Why)
	}

	fall(t, file(follower))
	stays := follower.wait("unhealthy", func(e client.Election) bool { return !e.Healthy })
	if !stays.Leading || !strings.Contains(stays.Why, "stays because no other one can lead") {
		t.Errorf("with nobody healthy: leading %v, why %q", stays.Leading, stays.Why)
	}

	// The one that recovers first takes over.
	if err := os.Remove(file(leader)); err != nil {
		t.Fatal(err)
	}
	leader.wait("leading again", func(e client.Election) bool { return e.Leading && e.Epoch == 3 && e.Healthy })
	follower.wait("following", func(e client.Election) bool { return e.Role == "follower" && e.Leader == leader.name })
}

// Without peers nobody is known who could lead: a failing leader gives up all the same,
// and while nobody is healthy nobody leads and nothing is written.
func TestHealthWithoutPeers(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	a, b := newDaemon(t, dir, "db-a"), newDaemon(t, dir, "db-b")
	file := func(d *daemon) string { return filepath.Join(d.dir, d.name+".sick") }
	for _, d := range []*daemon{a, b} {
		d.alone(sick(file(d)))
	}
	a.start()
	a.wait("leading", leads)
	b.start()
	b.wait("following", func(e client.Election) bool { return e.Leader == a.name && e.Healthy })

	fall(t, file(a))
	b.wait("leading because the other one is not healthy", func(e client.Election) bool { return e.Leading && e.Epoch == 2 })
	a.wait("following", func(e client.Election) bool { return e.Leader == b.name })
	a.says(`because="this node is not healthy"`)

	fall(t, file(b))
	vacant := func(e client.Election) bool { return e.Why == "the lease is vacant; this node is not healthy" }
	before := a.wait("vacant", vacant).Requests.Writes + b.wait("vacant", vacant).Requests.Writes
	time.Sleep(2 * time.Second)
	if after := a.wait("vacant", vacant).Requests.Writes + b.wait("vacant", vacant).Requests.Writes; after != before {
		t.Errorf("nobody is healthy, and %d writes were made", after-before)
	}

	// The check runs on, so that who recovers is noticed and leads, though alone.
	a.signal(syscall.SIGKILL)
	if err := os.Remove(file(b)); err != nil {
		t.Fatal(err)
	}
	b.wait("leading again", func(e client.Election) bool { return e.Leading && e.Epoch == 3 && e.Healthy })
}

func fall(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
