package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/command"
)

func TestMain(m *testing.M) {
	// A process that starts a mortal command and is killed.
	if len(os.Args) > 1 && os.Args[1] == "starter" {
		c := command.Command{Args: []string{"sh", "-c", "echo $$; exec sleep 60"}, Output: os.Stdout, Mortal: os.Args[2] == "mortal"}
		fmt.Fprintln(os.Stderr, command.Run(context.Background(), c))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func shell(script string) (command.Command, *buffer) {
	out := &buffer{}
	return command.Command{Args: []string{"sh", "-c", script}, Env: os.Environ(), Output: out}, out
}

func TestOutcomes(t *testing.T) {
	c, out := shell("echo one; echo two >&2")
	if err := command.Run(t.Context(), c); err != nil || out.String() != "one\ntwo\n" {
		t.Errorf("%v, printed %q", err, out.String())
	}
	c, _ = shell("exit 7")
	var exit *exec.ExitError
	if err := command.Run(t.Context(), c); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("exit 7 gives %v", err)
	}
	c.Args = []string{"no-such-program"}
	if err := command.Run(t.Context(), c); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("no such program gives %v", err)
	}
}

func TestAStuckCommandIsKilledWithItsChildren(t *testing.T) {
	c, out := shell(`trap '' TERM INT HUP; echo $$; sleep 60 & echo $!; setsid sleep 60 & echo $!; wait; sleep 60`)
	stuck := errors.New("it took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		for strings.Count(out.String(), "\n") < 3 {
			time.Sleep(time.Millisecond)
		}
		cancel(stuck)
	}()
	if err := command.Run(ctx, c); !errors.Is(err, stuck) {
		t.Errorf("got %v", err)
	}
	for _, word := range strings.Fields(out.String()) {
		pid, _ := strconv.Atoi(word)
		eventually(t, "the children are dead", func() bool { return ended(pid) })
	}
}

// A hook that starts a daemon is over when it ends, and the daemon lives on.
func TestADaemonThatHoldsTheOutput(t *testing.T) {
	c, out := shell(`setsid sleep 60 & echo $!`)
	begin := time.Now()
	if err := command.Run(t.Context(), c); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if ended(pid) {
		t.Error("the daemon is dead")
	}
	syscall.Kill(pid, syscall.SIGKILL)
}

func TestWhoDiesWithElectd(t *testing.T) {
	for _, kind := range []string{"mortal", "immortal"} {
		t.Run(kind, func(t *testing.T) {
			starter := exec.Command(os.Args[0], "starter", kind)
			out, err := starter.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := starter.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			if _, err := fmt.Fscan(out, &pid); err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(pid, syscall.SIGKILL)
			starter.Process.Kill()
			starter.Wait()
			if kind == "mortal" {
				eventually(t, "it is dead", func() bool { return ended(pid) })
				return
			}
			time.Sleep(50 * time.Millisecond)
			if ended(pid) {
				t.Error("it is dead")
			}
		})
	}
}

func TestNothingIsStartedWhenTheTimeIsOver(t *testing.T) {
	c, out := shell("echo up")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := command.Run(ctx, c); !errors.Is(err, context.Canceled) || out.String() != "" {
		t.Errorf("got %v, printed %q", err, out.String())
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

func ended(pid int) bool {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == syscall.ESRCH
	}
	_, rest, _ := strings.Cut(string(body), ") ")
	return rest[0] == 'Z' || rest[0] == 'X'
}
