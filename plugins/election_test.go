package plugins_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/plugins"
)

// filed is the file arbiter as a plugin: unlike memory it keeps what it stored
// when its process dies.
var filed = plugins.Plugin[file.Config]{
	Name: "file", Version: "1", Doc: "Keeps records in a directory.",
	New: func(ctx context.Context, c file.Config) (core.Arbiter, error) { return file.New(ctx, c) },
}

// stalling is filed, but its first write of all stalls for good before or after
// it has been carried out, and says so by a mark beside the records.
func stalling(after bool) plugins.Plugin[file.Config] {
	p := filed
	p.New = func(ctx context.Context, c file.Config) (core.Arbiter, error) {
		a, err := file.New(ctx, c)
		return &staller{Arbiter: a, mark: c.Dir + ".stalled", after: after}, err
	}
	return p
}

type staller struct {
	core.Arbiter
	mark  string
	after bool
}

func (s *staller) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if _, err := os.Stat(s.mark); err == nil {
		return s.Arbiter.CompareAndSwap(ctx, swap)
	}
	if s.after {
		if _, err := s.Arbiter.CompareAndSwap(ctx, swap); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(s.mark, nil, 0o600); err != nil {
		return "", err
	}
	select {}
}

// floors is a data directory in memory.
type floors struct{}

func (floors) SaveFloor(core.Epoch) error { return nil }

// elect starts a node without peers on a plugin. Such a node renews every third
// of its lease of six seconds.
func elect(t *testing.T, name string, h *plugins.Host) *node.Node {
	t.Helper()
	n, err := node.Start(node.Config{
		Core: core.Config{
			Election: "orders", Node: name, Identity: "id-" + name, Session: name + "-1",
			ArbiterLease: 9 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
			HeartbeatLease: 1500 * time.Millisecond, FenceMargin: 500 * time.Millisecond, ArbiterTimeout: time.Second,
		},
		Standing: core.Standing{Healthy: true, Priority: 100},
		Arbiter:  h.Arbiter(), Disk: floors{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Abandon)
	return n
}

func launchFile(t *testing.T, behaviour, dir string) *plugins.Host {
	t.Helper()
	spec, _ := specFor(t, behaviour)
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	if err := h.Configure(t.Context(), plugins.Values{"dir": dir}); err != nil {
		t.Fatal(err)
	}
	return h
}

func leads(n *node.Node) func() bool {
	return func() bool { _, err := n.Guard().Check(); return err == nil }
}

// stays watches a leader until stop is called, which says whether its guard was
// ever shut or its epoch changed.
func stays(n *node.Node, epoch core.Epoch) (stop func() bool) {
	var lost atomic.Bool
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if now, err := n.Guard().Check(); err != nil || now != epoch {
				lost.Store(true)
			}
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() bool {
		close(done)
		<-ended
		return !lost.Load()
	}
}

// The plugin of a leader that lives by its arbiter alone may crash, and may be
// replaced: the leader stays if the plugin is back within the lease.
func TestLeaderOutlivesItsPlugin(t *testing.T) {
	h := launchFile(t, "file", filepath.Join(t.TempDir(), "records"))
	n := elect(t, "a", h)
	await(t, "it leads", leads(n))
	epoch, _ := n.Guard().Check()
	stayed := stays(n, epoch)
	for range 3 {
		pid, revision := h.Status().PID, n.Status().Revision
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, "a write through the next plugin", func() bool {
			return runsAnew(h, pid)() && n.Status().Revision > revision
		})
	}
	spec, _ := specFor(t, "file")
	revision := n.Status().Revision
	if err := h.Reload(t.Context(), spec, plugins.Values{"dir": "relative"}); err == nil {
		t.Error("a reload with a relative directory succeeded")
	}
	await(t, "a write after a failed reload", func() bool { return n.Status().Revision > revision })
	if !stayed() {
		t.Error("leadership was lost")
	}
}

func TestReloadKeepsTheLeader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	h := launchFile(t, "file", dir)
	n := elect(t, "a", h)
	await(t, "it leads", leads(n))
	epoch, _ := n.Guard().Check()
	stayed := stays(n, epoch)
	for range 2 {
		pid, revision := h.Status().PID, n.Status().Revision
		spec, _ := specFor(t, "file")
		if err := h.Reload(t.Context(), spec, plugins.Values{"dir": dir}); err != nil {
			t.Fatal(err)
		}
		if h.Status().PID == pid {
			t.Error("the plugin is still the same")
		}
		await(t, "a write through the next plugin", func() bool { return n.Status().Revision > revision })
	}
	if !stayed() {
		t.Error("leadership was lost")
	}
}

// A challenger's plugin dies in the middle of its take. Whether the take landed
// nobody can say at first; it is found out, and the node leads at one epoch.
func TestPluginDiesInTheMiddleOfATake(t *testing.T) {
	for _, behaviour := range []string{"stall before", "stall after"} {
		t.Run(behaviour, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "records")
			h := launchFile(t, behaviour, dir)
			n := elect(t, "b", h)
			await(t, "the take stalls", func() bool { _, err := os.Stat(dir + ".stalled"); return err == nil })
			if leads(n)() {
				t.Error("it leads before its take is known applied")
			}
			if err := syscall.Kill(h.Status().PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			await(t, "it leads", leads(n))
			if epoch, err := n.Guard().Check(); err != nil || epoch != 1 {
				t.Errorf("it leads at epoch %d, %v; want 1, whatever became of the first try", epoch, err)
			}
		})
	}
}
