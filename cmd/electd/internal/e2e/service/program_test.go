package service

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

func run(script string, more ...string) string {
	return fmt.Sprintf("  run {\n    command = [\"sh\", \"-c\", %q]\n%s  }\n", script, strings.Join(more, ""))
}

// A program that cannot run here makes the node step down once its restarts are
// used up, and what it prints is in the log, a line an entry.
func TestProgramThatFailsForGoodStepsDown(t *testing.T) {
	t.Parallel()
	a, b := paired(t, "RUN\n")
	a.edit("RUN\n", run("echo one; printf 'two\\nthree' >&2; exit 7", "    restart_delay = \"50ms\"\n    restart_limit = 2\n"))
	b.edit("RUN\n", run("exec sleep 1000"))
	a.start()
	b.start()
	b.wait("leading", leads)
	if !strings.Contains(a.log(), "exit status 7") { // db-b was first
		b.wait("carried by its peer", carried)
		b.command("step-down", "orders", "--to", "db-a")
	}
	a.says("one: election=orders stream=stdout", "two: election=orders stream=stderr", "three: election=orders stream=stderr",
		"the program is started again", "after 2 restarts", `because="the service ended by itself"`)
	b.wait("leading after it", func(e client.Election) bool { return e.Leading })
}

// SIGTERM stops the program, releases the lease and ends with status 0, also
// while a hook hangs.
func TestTermReleasesWithinABound(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	d := newDaemon(t, dir, "db-a")
	ready, ended := filepath.Join(dir, "ready"), filepath.Join(dir, "ended")
	d.alone(run(fmt.Sprintf("trap 'echo ended > %s; exit 0' TERM; echo ready > %s; sleep 1000 & wait", ended, ready)) + hook("demote", "sleep 1000"))
	d.start()
	d.wait("leading", leads)
	eventually(t, "the program can be asked to stop", func() bool { return len(lines(ready)) == 1 })
	code, took := d.terminated()
	if took > 25*time.Second {
		t.Errorf("it took %s to end", took)
	}
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
	if len(lines(ended)) != 1 {
		t.Error("the program was not asked to stop")
	}
	d.says(`because="the lease is released"`)
}

// A hardware watchdog that is required and cannot be used keeps electd from
// starting; one that is used if it can be does not.
func TestHardwareWatchdogThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	d.edit("election", "watchdog {\n  device = \"/dev/null\"\n  mode = \"required\"\n}\nelection")
	d.start()
	select {
	case <-d.exited:
	case <-time.After(patience):
		t.Fatal("it runs without the watchdog that is required")
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	d.says("he hardware watchdog is required and cannot be used", "/dev/null is not a watchdog device")
	d.edit("required", "automatic")
	d.start()
	d.wait("leading", leads)
	d.says("the hardware watchdog is not used")
}
