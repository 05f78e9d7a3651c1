// Package bully_test runs the example as its README says.
package bully_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
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

// electd is the program.
var electd string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "bully-program-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		electd = filepath.Join(dir, "electd")
		if out, err := exec.Command("go", "build", "-o", electd, "github.com/electd/electd/cmd/electd").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build electd: %v\n%s", err, out)
			return 1
		}
		if err := flag.Set("test.parallel", "8"); err != nil { // most of the time they wait for a lease to end
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// example is the example in a folder of its own, on ports of its own.
type example struct {
	t      testing.TB
	dir    string
	nodes  map[string]*exec.Cmd // that run
	opened *openings
}

func (x *example) names() []string { return []string{"a", "b", "c"} }

// newExample copies the example and makes changes to its configurations.
func newExample(t testing.TB, changes ...string) *example {
	t.Helper()
	dir, err := os.MkdirTemp("", "bully-") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	x := &example{t: t, dir: dir, nodes: map[string]*exec.Cmd{}}
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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(replace.Replace(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.opened = x.watch()
	return x
}

func (x *example) start(nodes ...string) {
	x.t.Helper()
	for _, node := range nodes {
		log, err := os.OpenFile(filepath.Join(x.dir, node+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			x.t.Fatal(err)
		}
		cmd := exec.Command(electd, "run", "--config", node+".hcl")
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
	for _, node := range x.names() {
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

// ask asks a node by the command that the README names.
func (x *example) ask(node string) state {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, electd, "status", "jobs", "--json", "--config", node+".hcl")
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

// firstStart is how long the voters may take to meet for the first time.
const firstStart = 30 * time.Second

func TestExample(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	begun := time.Now()
	x.start("a", "b", "c")
	first := x.next(0, begun, firstStart)
	t.Logf("first start: %s leads at epoch %d after %v", first.node, first.epoch, first.at.Sub(begun))
	x.settled()

	begun = time.Now()
	x.kill(first.node)
	second := x.next(first.epoch, begun, 4*time.Second+slack)
	t.Logf("leader killed: %s leads at epoch %d after %v", second.node, second.epoch, second.at.Sub(begun))

	x.start(first.node)
	x.settled()
	time.Sleep(time.Second)
	if now := x.ask(second.node); now.Role != "leader" || now.Epoch != second.epoch {
		t.Errorf("%s came back, and %s is now %s at epoch %d", first.node, second.node, now.Role, now.Epoch)
	}

	step := exec.Command(electd, "step-down", "jobs", "--config", second.node+".hcl")
	step.Dir = x.dir
	begun = time.Now()
	if out, err := step.CombinedOutput(); err != nil {
		t.Fatalf("step-down: %v\n%s", err, out)
	}
	third := x.next(second.epoch, begun, slack)
	t.Logf("stepped down: %s leads at epoch %d after %v", third.node, third.epoch, third.at.Sub(begun))

	gone := x.others(third.node)
	for _, node := range gone {
		x.kill(node)
	}
	time.Sleep(4 * time.Second)
	if now := x.ask(third.node); now.Role == "leader" {
		t.Errorf("%s, one of three, still leads", third.node)
	}
	before := len(x.work())
	time.Sleep(500 * time.Millisecond)
	if after := len(x.work()); after != before {
		t.Errorf("%s, one of three, still works", third.node)
	}

	begun = time.Now()
	x.start(gone[0])
	fourth := x.next(third.epoch-1, begun, 15*time.Second+slack) // the fenced leader may go on at its epoch
	t.Logf("two of three again: %s leads at epoch %d after %v", fourth.node, fourth.epoch, fourth.at.Sub(begun))

	begun = time.Now()
	for node := range x.nodes {
		x.kill(node)
	}
	x.start("a", "b", "c")
	fifth := x.next(fourth.epoch, begun, 15*time.Second+slack)
	t.Logf("all killed and started again: %s leads at epoch %d after %v", fifth.node, fifth.epoch, fifth.at.Sub(begun))
	x.work()
}
