package bully

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// roleVariable makes the test binary a voter that runs until it is killed.
const roleVariable = "ELECTD_BULLY_TEST_VOTER"

func voteUntilKilled(config string) {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	a, err := New(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("voting")
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // until the test is gone
	_ = a.Close()
}

// launch runs a voter as a process of its own.
func (c *cluster) launch(node string) *exec.Cmd {
	c.t.Helper()
	config := c.configOf(node)
	config.log, config.way = nil, nil
	text, err := json.Marshal(config)
	if err != nil {
		c.t.Fatal(err)
	}
	p := exec.Command(os.Args[0], "-test.run=^$")
	p.Env = append(os.Environ(), roleVariable+"="+string(text))
	stdin, err := p.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	stdout, err := p.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = stdin.Close()
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); strings.TrimSpace(line) != "voting" {
		c.t.Fatalf("voter %s: %q, %v", node, line, err)
	}
	return p
}

func kill(processes ...*exec.Cmd) {
	for _, p := range processes {
		_ = p.Process.Kill()
	}
	for _, p := range processes {
		_ = p.Wait()
	}
}

// Every voter is killed in the middle of writing, three times over. What was
// applied is there afterwards, and writing goes on above it.
func TestWholeClusterKilledReforms(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.launchAll()
	client, err := c.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for life := range 3 {
		stop := time.Now().Add(300 * time.Millisecond)
		var known core.Version
		var written []string
		for n := 0; time.Now().Before(stop); n++ {
			s, err := client.Read(within(t, 5*time.Second), lease)
			if err != nil {
				t.Fatal(err)
			}
			if known != "" && !slices.Contains(written, string(s.Record)) {
				t.Fatalf("life %d: %q is stored, which was never written", life, s.Record)
			}
			record := fmt.Sprintf("life %d write %d", life, n)
			written = append(written, record)
			v, err := client.CompareAndSwap(within(t, 5*time.Second), core.Swap{Key: lease, Expected: s.Version, Record: []byte(record)})
			if err != nil {
				t.Fatal(err)
			}
			known = v
		}
		doomed := make(chan error)
		go func() {
			_, err := client.CompareAndSwap(within(t, time.Second), core.Swap{Key: lease, Expected: known, Record: []byte("doomed")})
			doomed <- err
		}()
		c.killAll()
		fate := core.WriteOutcome(<-doomed)
		c.launchAll()
		var s core.Snapshot
		eventually(t, "the cluster answers again", func() (err error) {
			s, err = client.Read(within(t, time.Second), lease)
			return err
		})
		isDoomed := string(s.Record) == "doomed"
		switch {
		case s.Version != known && !isDoomed:
			t.Fatalf("life %d: %q (%s) is stored, want the last write %q (%s)", life, s.Record, s.Version, written[len(written)-1], known)
		case isDoomed && fate != core.Applied && fate != core.Unknown, !isDoomed && fate == core.Applied:
			t.Fatalf("life %d: the write under way when all were killed was %v, and %q is stored", life, fate, s.Record)
		}
	}
}

func (c *cluster) launchAll() {
	for _, node := range c.voters {
		c.running = append(c.running, c.launch(node))
	}
}

func (c *cluster) killAll() {
	kill(c.running...)
	c.running = nil
}

func TestVoterThatLostItsDiskDoesNotVoteUntilReadmitted(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")
	c.stop("b")
	v = c.mustSwap("a", lease, v, "two") // held by a and c alone
	c.stop("c")
	if err := os.RemoveAll(filepath.Join(c.dir, "c")); err != nil {
		t.Fatal(err)
	}

	c.start("c") // blank, with a alone: they would be a majority, and c knows nothing
	for range 5 {
		if _, ok := c.may("a", v, "three"); ok {
			t.Fatal("a voter with an empty disk voted")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if _, err := c.read("c", lease); !errors.Is(err, core.ErrUnavailable) || !strings.Contains(err.Error(), "not part of the cluster yet") {
		t.Fatalf("the blank voter reads: %v", err)
	}

	c.start("b") // now a and b can let it in
	c.ready()
	c.expect("c", lease, "two", v)
	c.stop("a")
	c.expect("b", lease, "two", v) // b and c, neither of which had it at first
	if v, err := c.swap("c", lease, v, "three"); err != nil {
		t.Fatal(err)
	} else {
		c.expect("b", lease, "three", v)
	}
}

// The old disk comes back after another one was admitted in its place: it must
// not vote, and says why.
func TestOldDiskThatWasReplacedIsRetired(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "one")
	c.stop("c")
	if err := os.Rename(filepath.Join(c.dir, "c"), filepath.Join(c.dir, "old")); err != nil {
		t.Fatal(err)
	}
	c.start("c")
	c.ready()
	c.stop("c")
	if err := os.RemoveAll(filepath.Join(c.dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(c.dir, "old"), filepath.Join(c.dir, "c")); err != nil {
		t.Fatal(err)
	}
	c.start("c")
	c.problem("c", "this one no longer votes")
	c.stop("b")
	if _, ok := c.may("a", v, "two"); ok {
		t.Error("a retired disk voted")
	}
}

// problem waits until a node names a problem that contains the text.
func (c *cluster) problem(node, text string) {
	c.t.Helper()
	eventually(c.t, node+" names a problem with "+text, func() error {
		all := strings.Join(c.nodes[node].Problems(), "\n")
		if !strings.Contains(all, text) {
			return fmt.Errorf("it names:\n%s", all)
		}
		return nil
	})
}

func TestDamagedDiskIsNamed(t *testing.T) {
	for name, test := range map[string]struct {
		file  string
		spoil func(path string) error
		says  string
	}{
		"a bit of the slots":    {"slots", flipBit, "is damaged"},
		"a bit of the standing": {"standing", flipBit, "is damaged"},
		"no slots":              {"slots", os.Remove, "is missing"},
		"no standing":           {"standing", os.Remove, "is missing"},
		"slots emptied":         {"slots", cutTo(0), "is damaged"},
		"slots cut in the head": {"slots", cutTo(40), "is damaged"},
		"the last byte":         {"slots", changeLast(func(b byte) byte { return b ^ 1 }), "is damaged"},
		"another line break":    {"slots", changeLast(func(byte) byte { return ' ' }), "is damaged"},
		"zeros at the end":      {"slots", appendZeros, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 3)
			c.start("a", "b", "c")
			c.ready()
			c.mustSwap("a", lease, "", "one")
			c.stop("a")
			path := filepath.Join(c.dir, "a", test.file)
			if err := test.spoil(path); err != nil {
				t.Fatal(err)
			}
			c.refuses("a", "data_dir", path+" "+test.says)
		})
	}
}

func cutTo(size int64) func(string) error {
	return func(path string) error { return os.Truncate(path, size) }
}

func changeLast(change func(byte) byte) func(string) error {
	return func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content[len(content)-1] = change(content[len(content)-1])
		return os.WriteFile(path, content, 0o600)
	}
}

func appendZeros(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()+4096)
}

func flipBit(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o600)
}

// refuses checks that a node does not start, and what it says.
func (c *cluster) refuses(node, attribute, text string) {
	c.t.Helper()
	a, err := New(c.t.Context(), c.configOf(node))
	if err == nil {
		_ = a.Close()
		c.t.Fatalf("%s starts", node)
	}
	var wrong *core.AttributeError
	if !errors.As(err, &wrong) || wrong.Attribute != attribute || !strings.Contains(err.Error(), text) {
		c.t.Errorf("%s: %v; want %s: … %s", node, err, attribute, text)
	}
}

func TestTwoProcessesNeverShareADisk(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a")
	c.refuses("a", "data_dir", "in use by another process")
}

func TestVotersAreNotChangedInPlace(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a")
	c.stop("a")
	c.config = func(config *Config) {
		config.Voters, config.Addresses = []string{"a", "x", "y"}, nil
		config.Bind = "127.0.0.1:0"
	}
	c.refuses("a", "voters", "differ from those")
}

func TestNothingIsDecidedBeforeAllVotersMet(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b")
	for range 5 {
		if _, ok := c.may("a", "", "one"); ok {
			t.Fatal("two of three blank voters decided: the third may remember a cluster")
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.problem("a", "not part of the cluster yet")
	eventually(t, "what is waited for is named", func() error {
		_, err := c.read("a", lease)
		if err == nil || !strings.Contains(err.Error(), "not reached: c") {
			return fmt.Errorf("it says: %v", err)
		}
		return nil
	})
	c.start("c")
	c.ready()
	c.mustSwap("a", lease, "", "one")
	eventually(t, "no problem is left", func() error {
		if all := c.nodes["a"].Problems(); len(all) > 0 {
			return fmt.Errorf("%q", all)
		}
		return nil
	})
}
