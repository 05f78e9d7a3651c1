// Package bully_test runs the example as its README says.
package bully_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/internal/servers"
)

// programs is the folder with electd and the arbiter's plugin.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if programs, err = os.MkdirTemp("", "bully-programs-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(programs)
		for _, p := range []string{"cmd/electd", "plugins/electd-arbiter-bully"} {
			out, err := exec.Command("go", "build", "-o", filepath.Join(programs, filepath.Base(p)), "github.com/electd/electd/"+p).CombinedOutput()
			if err != nil {
				fmt.Fprintf(os.Stderr, "build %s: %v\n%s", p, err, out)
				return 1
			}
		}
		return m.Run()
	}())
}

// example is the example in a folder of its own, on ports of its own.
type example struct {
	t      *testing.T
	dir    string
	electd string
	nodes  map[string]*exec.Cmd
}

// newExample copies the example and makes changes to its configurations.
func newExample(t *testing.T, changes ...string) *example {
	t.Helper()
	dir, err := os.MkdirTemp("", "bully-") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	x := &example{t: t, dir: dir, electd: filepath.Join(programs, "electd"), nodes: map[string]*exec.Cmd{}}
	t.Cleanup(func() {
		for node := range x.nodes {
			x.kill(node)
		}
		if t.Failed() {
			x.showLogs()
		}
		_ = os.RemoveAll(dir)
	})
	for _, port := range []string{"7430", "7431", "7432", "7530", "7531", "7532"} {
		changes = append(changes, "127.0.0.1:"+port, servers.FreeAddress(t))
	}
	replace := strings.NewReplacer(changes...)
	for _, name := range []string{"a.hcl", "b.hcl", "c.hcl", "worker.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		content := replace.Replace(string(text))
		if strings.HasSuffix(name, ".hcl") {
			content = fmt.Sprintf("plugin_dir = %q\n", programs) + content
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func (x *example) start(nodes ...string) {
	x.t.Helper()
	for _, node := range nodes {
		log, err := os.OpenFile(filepath.Join(x.dir, node+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			x.t.Fatal(err)
		}
		cmd := exec.Command(x.electd, "run", "--config", node+".hcl")
		cmd.Dir, cmd.Stdout, cmd.Stderr = x.dir, log, log
		err = cmd.Start()
		_ = log.Close()
		if err != nil {
			x.t.Fatal(err)
		}
		x.nodes[node] = cmd
	}
}

func (x *example) kill(node string) {
	cmd := x.nodes[node]
	delete(x.nodes, node)
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
}

func (x *example) showLogs() {
	for _, node := range []string{"a", "b", "c"} {
		text, _ := os.ReadFile(filepath.Join(x.dir, node+".log"))
		lines := strings.Split(string(text), "\n")
		x.t.Logf("%s:\n%s", node, strings.Join(lines[max(0, len(lines)-40):], "\n"))
	}
}

// state is what a node says of the election.
type state struct {
	Role  string `json:"role"`
	Epoch uint64 `json:"epoch"`
}

func (x *example) ask(node string) state {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, x.electd, "status", "jobs", "--json", "--config", node+".hcl")
	cmd.Dir = x.dir
	out, err := cmd.Output()
	if err != nil {
		return state{}
	}
	var answer struct {
		Elections []state `json:"elections"`
	}
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Elections) != 1 {
		x.t.Fatalf("electd status --json says %s", out)
	}
	return answer.Elections[0]
}

// leader waits until one node leads above the given epoch.
func (x *example) leader(above uint64, within time.Duration) (node string, s state, took time.Duration) {
	x.t.Helper()
	start := time.Now()
	for time.Since(start) < within {
		for node := range x.nodes {
			if s := x.ask(node); s.Role == "leader" && s.Epoch > above {
				return node, s, time.Since(start)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	x.t.Fatalf("nobody leads above epoch %d within %v", above, within)
	return "", state{}, 0
}

// work returns the lines of work.log; the epochs in it must never fall, for a
// deposed leader's worker has stopped before the next one begins.
func (x *example) work() (lines []string) {
	x.t.Helper()
	f, err := os.Open(filepath.Join(x.dir, "work.log"))
	if err != nil {
		x.t.Fatal(err)
	}
	defer f.Close()
	var last uint64
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		var epoch uint64
		var node string
		if n, _ := fmt.Sscan(scanner.Text(), &epoch, &node); n != 2 {
			continue
		}
		if epoch < last {
			x.t.Fatalf("%q was written after epoch %d", scanner.Text(), last)
		}
		last = epoch
		lines = append(lines, scanner.Text())
	}
	return lines
}

func (x *example) others(node string) (others []string) {
	for other := range x.nodes {
		if other != node {
			others = append(others, other)
		}
	}
	return others
}

// slack is what a loaded machine may take on top of what the documentation says.
const slack = 5 * time.Second

func TestExample(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.start("a", "b", "c")
	first, s, took := x.leader(0, 30*time.Second)
	t.Logf("first start: %s leads at epoch %d after %v", first, s.Epoch, took)

	x.kill(first)
	second, s, took := x.leader(s.Epoch, 4*time.Second+slack)
	t.Logf("leader killed: %s leads at epoch %d after %v", second, s.Epoch, took)

	x.start(first)
	time.Sleep(2 * time.Second)
	if now := x.ask(second); now.Role != "leader" || now.Epoch != s.Epoch {
		t.Errorf("%s came back, and %s is now %s at epoch %d", first, second, now.Role, now.Epoch)
	}

	step := exec.Command(x.electd, "step-down", "jobs", "--config", second+".hcl")
	step.Dir = x.dir
	begun := time.Now()
	if out, err := step.CombinedOutput(); err != nil {
		t.Fatalf("step-down: %v\n%s", err, out)
	}
	third, s, _ := x.leader(s.Epoch, slack)
	t.Logf("stepped down: %s leads at epoch %d after %v", third, s.Epoch, time.Since(begun))

	gone := x.others(third)
	for _, node := range gone {
		x.kill(node)
	}
	time.Sleep(4 * time.Second)
	if now := x.ask(third); now.Role == "leader" {
		t.Errorf("%s, one of three, still leads", third)
	}
	before := len(x.work())
	time.Sleep(500 * time.Millisecond)
	if after := len(x.work()); after != before {
		t.Errorf("%s, one of three, still works", third)
	}

	x.start(gone[0])
	fourth, s, took := x.leader(s.Epoch-1, 15*time.Second+slack) // the fenced leader may go on at its epoch
	t.Logf("two of three again: %s leads at epoch %d after %v", fourth, s.Epoch, took)

	for node := range x.nodes {
		x.kill(node)
	}
	x.start("a", "b", "c")
	fifth, s, took := x.leader(s.Epoch, 15*time.Second+slack)
	t.Logf("all killed and started again: %s leads at epoch %d after %v", fifth, s.Epoch, took)
	x.work()
}

// TestFastFailover is the fast profile with a lease of one second.
func TestFastFailover(t *testing.T) {
	t.Parallel()
	x := newExample(t, `"local"`, `"fast"`, `"300ms"`, `"40ms"`, `election "jobs" {`, `election "jobs" {
  arbiter_lease      = "1s"
  fence_margin       = "200ms"
  heartbeat_interval = "100ms"
  heartbeat_lease    = "400ms"
`)
	x.start("a", "b", "c")
	leader, s, _ := x.leader(0, 30*time.Second)
	for range 3 {
		x.kill(leader)
		next, now, took := x.leader(s.Epoch, 1500*time.Millisecond+slack)
		t.Logf("leader killed: %s leads at epoch %d after %v", next, now.Epoch, took)
		x.start(leader)
		time.Sleep(2 * time.Second) // it votes again
		leader, s = next, now
	}
	x.work()
}
