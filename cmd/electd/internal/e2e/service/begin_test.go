package service

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// promptly is how soon a daemon ends that has nothing to wait for, on a machine
// that does a lot beside.
const promptly = 8 * time.Second

// endsPromptly sends SIGTERM and waits for the end, with status 0.
func (d *daemon) endsPromptly() {
	d.t.Helper()
	code, took := d.terminated()
	if took > promptly {
		d.t.Errorf("it took %s to end", took)
	}
	if code != 0 {
		d.t.Errorf("exit status %d, want 0", code)
	}
}

// terminated asks a daemon to end, and waits until it has.
func (d *daemon) terminated() (code int, took time.Duration) {
	d.t.Helper()
	began := time.Now()
	d.signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(patience):
		d.t.Fatalf("it has not ended after %s", patience)
	}
	return d.cmd.ProcessState.ExitCode(), time.Since(began)
}

// A daemon whose store takes connections and never says a word waits for it, and
// ends as soon as it is told to.
func TestTermWhileTheStoreIsUnreachable(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // what is never accepted waits in the kernel
	d := newDaemon(t, workplace(t), "db-a")
	d.alone(run("exec sleep 1000"))
	d.edit("arbiter \"file\" {\n", fmt.Sprintf("arbiter \"s3\" {\n  bucket = \"b\"\n  region = \"r\"\n  path_style = true\n  endpoint = \"http://%s\"\n  access_key_id = \"k\"\n  secret_access_key = \"s\"\n", silent.Addr()))
	d.edit(fmt.Sprintf("  dir = %q\n", filepath.Join(d.dir, "records")), "")
	d.start()
	waiting := d.wait("asking its store", func(e client.Election) bool {
		return strings.Contains(e.Why, "does not stand: the store's probe is pending")
	})
	if waiting.Leading {
		t.Error("it leads")
	}
	d.endsPromptly()
	d.says("ending: releasing what is held")

	d.start()
	d.says("the store does not answer yet: this node follows, but does not stand")
	d.endsPromptly()
}

// slow are leases that leave room for a fence hook which takes a minute.
const slow = "  arbiter_lease = \"600s\"\n  heartbeat_lease = \"300s\"\n  fence_margin = \"200s\"\n"

// crashed starts a daemon with that in every one of its n elections, kills it
// when all lead, and starts it again.
func crashed(t *testing.T, n int, inside string) *daemon {
	t.Helper()
	d := newDaemon(t, workplace(t), "db-a")
	text := d.common()
	for i := range n {
		text += fmt.Sprintf("election \"e%d\" {\n%s%s}\n", i, slow, inside)
	}
	d.write(text)
	d.start()
	eventually(t, "all lead", func() bool {
		node, err := d.api.Node(t.Context())
		leading := 0
		for _, e := range node.Elections {
			if e.Leading {
				leading++
			}
		}
		return err == nil && leading == n
	})
	d.signal(syscall.SIGKILL)
	<-d.exited
	d.start()
	return d
}

// A daemon that crashed first runs the fence hook of the session before. It ends
// in the middle of that if it is told to, and takes the hook with it.
func TestTermWhileStarting(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(workplace(t), "pid")
	d := crashed(t, 2, hook("fence", fmt.Sprintf("echo $$ > %s; exec sleep 1000", pid), "    timeout = \"100s\"\n"))
	eventually(t, "the fence hook runs", func() bool { return len(lines(pid)) == 1 })
	d.endsPromptly()
	d.says("ending before everything is started")
	number, err := strconv.Atoi(lines(pid)[0])
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the hook is gone", func() bool { return gone(number) })
	for _, line := range strings.Split(d.log(), "\n") {
		if strings.Contains(line, "[ERROR]") && !strings.Contains(line, "electd ends") {
			t.Errorf("an error is logged: %s", line)
		}
	}
}

// The fence hooks of many elections run side by side: a start does not take as
// long as all of them together.
func TestFenceHooksOfASessionBeforeRunSideBySide(t *testing.T) {
	t.Parallel()
	order := filepath.Join(workplace(t), "order")
	const n = 4
	script := fmt.Sprintf("echo begin >> %s; until [ $(grep -c begin %[1]s) -ge %d ]; do sleep 0.02; done", order, n)
	d := crashed(t, n, hook("fence", script, "    timeout = \"100s\"\n"))
	eventually(t, "all lead again, at the next epoch", func() bool {
		node, err := d.api.Node(t.Context())
		leading := 0
		for _, e := range node.Elections {
			if e.Leading && e.Epoch == 2 {
				leading++
			}
		}
		return err == nil && leading == n
	})
}
