package plugins_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// patient is how long a test waits for what must happen; it is generous because
// the machine may be busy.
const patient = 20 * time.Second

// await polls until done says so.
func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patient); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s in vain: %s", patient, what)
		}
	}
}

// gone says whether no process has that pid any more, not even a dead one that
// its parent has not asked for.
func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// freeze stops a process and waits until it stands still.
func freeze(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, "the process stops", func() bool { return frozen(pid) })
}

func runsAnew(h *plugins.Host, pid int) func() bool {
	return func() bool { s := h.Status(); return s.Running && s.PID != pid }
}

func TestCrashedPluginIsRestartedAndConfiguredAgain(t *testing.T) {
	h := launchMemory(t, nil)
	a := h.Arbiter()
	for round := 1; round <= 3; round++ {
		pid := h.Status().PID
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, "the plugin is restarted", runsAnew(h, pid))
		// A configured arbiter that has forgotten everything.
		if s, err := a.Read(t.Context(), "k"); err != nil || s.Version != "" {
			t.Fatalf("read after restart %d: %+v, %v", round, s, err)
		}
		if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); err != nil {
			t.Fatal(err)
		}
		if got := h.Status().Starts; got != round+1 {
			t.Errorf("%d starts after %d crashes", got, round)
		}
	}
}

func TestWriteInFlightWhenThePluginCrashesIsUnknown(t *testing.T) {
	h := launchMemory(t, plugins.Values{"fail": "exit"})
	_, err := h.Arbiter().CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
	if core.WriteOutcome(err) != core.Unknown {
		t.Errorf("outcome %v of %v, want unknown", core.WriteOutcome(err), err)
	}
}

// In the gap between crash and restart nothing is sent, and calls say so.
func TestCallsInTheGapAreUnavailable(t *testing.T) {
	// The plugin cannot come back before the test allows.
	bar := filepath.Join(t.TempDir(), "bar")
	spec, _ := specFor(t, "barred "+bar)
	h := launch(t, spec, nil)
	a := h.Arbiter()
	if err := os.WriteFile(bar, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pid := h.Status().PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the gap", func() bool { return !h.Status().Running })
	await(t, "the failed restart", func() bool { return strings.Contains(h.Status().Problem, "the way is barred") })
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("a write in the gap: %v, want unavailable", err)
	}
	if _, err := a.Read(t.Context(), "k"); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a read in the gap: %v, want unavailable", err)
	}
	if _, err := a.(core.Watcher).Watch(t.Context(), "k"); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("a watch in the gap: %v, want unavailable", err)
	}
	if err := os.Remove(bar); err != nil {
		t.Fatal(err)
	}
	await(t, "the plugin is back", runsAnew(h, pid))
	if _, err := a.Read(t.Context(), "k"); err != nil {
		t.Errorf("a read afterwards: %v", err)
	}
}

func TestHungPluginIsKilledAndReplaced(t *testing.T) {
	spec, _ := specFor(t, "memory")
	spec.Timeouts.Health = time.Second
	h := launch(t, spec, nil)
	a := h.Arbiter()
	changes, err := a.(core.Watcher).Watch(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	pid := h.Status().PID
	freeze(t, pid)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // time to be sent, too
	defer cancel()
	if _, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")}); core.WriteOutcome(err) != core.Unknown {
		t.Errorf("a write to a stopped plugin: %v, want unknown", err)
	}
	await(t, "another plugin", runsAnew(h, pid))
	await(t, "the stopped one is gone", func() bool { return gone(pid) })
	select {
	case _, open := <-changes:
		if open {
			t.Error("the watch of a lost plugin sent something")
		}
	case <-time.After(patient):
		t.Error("the watch of a lost plugin was not closed")
	}
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); err != nil {
		t.Error(err)
	}
}

// Closing the host of a plugin that hangs must not hang.
func TestCloseOfAHungPlugin(t *testing.T) {
	spec, _ := specFor(t, "memory")
	spec.Timeouts.Stop = 200 * time.Millisecond
	h := launch(t, spec, nil)
	pid := h.Status().PID
	freeze(t, pid)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("process %d still lives", pid)
	}
}

func TestClosedHost(t *testing.T) {
	h := launchMemory(t, nil)
	a := h.Arbiter()
	pid := h.Status().PID
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !gone(pid) {
		t.Errorf("process %d still lives", pid)
	}
	if _, err := a.Read(t.Context(), "k"); !errors.Is(err, plugins.ErrClosed) || !errors.Is(err, core.ErrUnavailable) {
		t.Errorf("a read after Close: %v", err)
	}
	if s := h.Status(); s.Running {
		t.Errorf("status after Close: %+v", s)
	}
}

// The signals that end a group of processes or a service's control group, and
// Ctrl-C in a terminal, must leave the plugin to its host, which needs it to
// release.
func TestSignalsDoNotEndAPlugin(t *testing.T) {
	h := launchMemory(t, nil)
	a := h.Arbiter()
	pid := h.Status().PID
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("the plugin %d is in process group %d, %v: want one of its own", pid, group, err)
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r"), Intent: core.Release}); err != nil {
		t.Errorf("a release after the signals: %v", err)
	}
	if s := h.Status(); s.PID != pid || s.Starts != 1 {
		t.Errorf("the plugin was restarted: %+v", s)
	}
}

func TestReloadInPlace(t *testing.T) {
	h := launchMemory(t, nil)
	a := h.Arbiter()
	watch, err := a.(core.Watcher).Watch(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	pid := h.Status().PID
	stop := make(chan struct{})
	failed := make(chan error, 1)
	go func() { // calls without a pause while the plugin is replaced
		defer close(failed)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := a.Read(context.Background(), "k"); err != nil {
				failed <- err
				return
			}
		}
	}()
	spec, _ := specFor(t, "memory")
	if err := h.Reload(t.Context(), spec, plugins.Values{"label": "wrong"}); err == nil {
		t.Error("a reload with a wrong configuration succeeded")
	}
	if h.Status().PID != pid {
		t.Error("a failed reload changed the plugin")
	}
	for range 3 {
		before := h.Status().PID
		if err := h.Reload(t.Context(), spec, plugins.Values{"label": "y"}); err != nil {
			t.Fatal(err)
		}
		if h.Status().PID == before {
			t.Error("the plugin is still the same")
		}
		if !gone(before) {
			t.Errorf("the old process %d still lives", before)
		}
	}
	close(stop)
	if err := <-failed; err != nil {
		t.Errorf("a call during the reloads: %v", err)
	}
	select {
	case <-watch:
	case <-time.After(patient):
		t.Error("the watch of the old plugin was not closed")
	}
}

// A plugin that cannot live is tried again ever more slowly.
func TestRestartsBackOff(t *testing.T) {
	bar := filepath.Join(t.TempDir(), "bar")
	spec, log := specFor(t, "barred "+bar)
	h := launch(t, spec, nil)
	if err := os.WriteFile(bar, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(h.Status().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "a pause of 800 ms", func() bool { return strings.Contains(log.String(), "next_try_in=800ms") })
	upTo, _, _ := strings.Cut(log.String(), "next_try_in=800ms") // it may have gone on since
	if n := strings.Count(upTo, "could not be restarted"); n != 5 {
		t.Errorf("%d tries up to the pause of 800 ms, want 5", n)
	}
}

// beHost is the main function of a host that is going to be killed: it launches
// the plugin and says its process id.
func beHost() {
	h, err := plugins.Launch(context.Background(), plugins.Spec{
		Name:      "memory",
		Self:      []string{},
		Env:       []string{asPlugin + "=memory"},
		SocketDir: os.Getenv("TEST_SOCKET_DIR"),
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(h.Status().PID)
	select {}
}

func TestPluginEndsWithItsHost(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprintf("stopped=%v", stopped), func(t *testing.T) {
			dir := shortDir(t)
			host := exec.Command(os.Args[0])
			host.Env = append(os.Environ(), asPlugin+"=host", "TEST_SOCKET_DIR="+dir)
			stdout, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(stdout).ReadString('\n')
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("the host said %q", line)
			}
			if stopped {
				freeze(t, pid)
			}
			if err := host.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = host.Wait()
			for begun := time.Now(); alive(pid); time.Sleep(10 * time.Millisecond) {
				if time.Since(begun) > patient {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					t.Fatalf("the plugin outlived its host by %s", patient)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
