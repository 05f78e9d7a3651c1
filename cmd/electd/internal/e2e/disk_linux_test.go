package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/internal/servers"
)

// mountSmall mounts a small file system where the machine keeps its data.
func (m *machine) mountSmall() {
	m.t.Helper()
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", m.dir, "tmpfs", 0, "size=512k,mode=0700"); err != nil {
		if os.Getuid() != 0 {
			m.t.Skip("SKIPPED: mounting a file system needs root")
		}
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		m.end()
		m.cmd = nil
		syscall.Unmount(m.dir, syscall.MNT_DETACH)
	})
}

// fill fills the machine's disk and returns what empties it.
func (m *machine) fill() (empty func()) {
	m.t.Helper()
	ballast := filepath.Join(m.dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		m.t.Fatalf("the disk did not fill up: %v", err)
	}
	return func() { os.Remove(ballast) }
}

// TestDiskFull: nobody acts at an epoch that is not on its disk. A follower whose
// disk is full does not lead on what it takes, says why, and leads when there is room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	p := newPair(t, servers.Strict3(t), "")
	for _, m := range p.nodes {
		m.mountSmall()
		m.edit(`election "orders" {`, "election \"orders\" {\n  arbiter_lease = \"8s\"")
		m.start()
	}
	leader, follower, epoch := p.settle()
	empty := follower.fill()
	leader.kill()
	follower.wait("telling that it cannot save", func(e client.Election) bool {
		return e.Leader == "" && strings.Contains(e.Trouble, "could not be saved in the data directory")
	})
	time.Sleep(heartbeatLease)
	if last := p.witness.newest(); last.epoch > epoch { // a leader just started may not have written
		t.Errorf("%s writes at epoch %d, which is not on its disk", last.node, last.epoch)
	}
	empty()
	next := p.witness.writerAfter(epoch, 30*time.Second)
	if next.node != follower.name {
		t.Errorf("%s writes, want %s", next.node, follower.name)
	}
}

// TestDiskFullUnderALeader: a leader whose disk fills up goes on; it needs it
// for the next epoch only.
func TestDiskFullUnderALeader(t *testing.T) {
	t.Parallel()
	p := newPair(t, servers.Strict3(t), "")
	for _, m := range p.nodes {
		m.mountSmall()
		m.start()
	}
	leader, follower, epoch := p.settle()
	empty := leader.fill()
	defer empty()
	time.Sleep(2 * heartbeatLease)
	if e, ok := leader.status(); !ok || !e.Leading || e.Epoch != epoch {
		t.Fatalf("the leader no longer leads: %+v", e)
	}
	// A daemon that cannot write down its session does not start, and says why.
	leader.kill()
	next := p.witness.writerAfter(epoch, heartbeatLease+late)
	if next.node != follower.name {
		t.Errorf("%s writes, want %s", next.node, follower.name)
	}
	code, text := leader.once(20 * time.Second)
	if code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	says(t, text, "full", leader.dir)
	empty()
	leader.start()
	p.settle()
}

// TestReadOnlyDisk: a daemon that cannot write does not start.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	p := newPair(t, servers.Strict3(t), "")
	p.witness.silent = true
	m := p.nodes[0]
	m.mountSmall()
	if err := syscall.Mount("", m.dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	code, text := m.once(20 * time.Second)
	if code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	says(t, text, "read-only", m.dir)
}
