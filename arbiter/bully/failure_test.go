package bully

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// A log that was cut within what its last rewriting put there is known to be cut:
// its head says how many lines there were.
func TestSlotLogCutWithinItsBasisIsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "slots")
	l, err := newSlotLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.save(map[string]register.Slot{"k": slot(1, "one"), "l": slot(2, "two")}); err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	reopened(t, path) // written anew with both
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := openSlotLog(path); err == nil {
			t.Fatalf("cut to %d of %d bytes: taken for %d slots", cut, len(whole), len(l.live))
		} else if !strings.Contains(err.Error(), path) {
			t.Fatalf("cut to %d of %d bytes: %v", cut, len(whole), err)
		}
	}
}

// A voter whose disk fails says so, and the others and the probe tell.
func TestVoterThatCannotWriteIsNamedEverywhere(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(c *cluster) error
		says  string // the system's error
	}{
		"the disk is broken":        {func(c *cluster) error { return c.nodes["c"].voter.disk.log.file.Close() }, "file already closed"},
		"the directory was removed": {func(c *cluster) error { return os.RemoveAll(filepath.Join(c.dir, "c")) }, "no such file or directory"},
		"the log was replaced": {func(c *cluster) error {
			path := filepath.Join(c.dir, "c", "slots")
			content, err := os.ReadFile(path)
			if err == nil {
				err = replaceFile(path, content)
			}
			return err
		}, "was replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 3)
			c.start("a", "b", "c")
			c.ready()
			c.mustSwap("a", lease, "", "one")
			if err := test.spoil(c); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(c.dir, "c")
			for node, text := range map[string]string{"a": "voter c cannot write " + dir, "b": "voter c cannot write " + dir, "c": "this voter cannot write " + dir} {
				c.problem(node, text)
				c.problem(node, test.says)
				c.problem(node, "and restart th")
			}
			report, err := c.nodes["a"].Probe(within(t, 20*time.Second), "probe")
			if err != nil || report.Worst() != core.Warned || report.Findings[0].Observed[:6] != "2 of 3" {
				t.Errorf("%+v, %v", report.Findings, err)
			}
			c.nodes["c"].voter.disk.log.file = nil
			c.stop("c")
			if test.says == "was replaced" { // whole, and nothing was written since
				c.start("c")
				eventually(t, "nobody names it any more", func() error {
					if all := c.nodes["a"].Problems(); len(all) > 0 {
						return fmt.Errorf("%q", all)
					}
					return nil
				})
			}
		})
	}
}

// Beside a voter that runs, its configuration is examined without a vote; nobody
// takes the one that examines for a twin.
func TestProbeBesideAVoter(t *testing.T) {
	for name, gossips := range map[string]bool{"by addresses": false, "by gossip": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 3)
			if gossips {
				c.gossiping()
			}
			c.withTLS()
			c.start("a", "b", "c")
			c.ready()
			config := c.configOf("a")
			config.Client = true
			beside, err := New(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = beside.Close() }()
			report, err := beside.Probe(within(t, 20*time.Second), "probe")
			if err != nil || report.Worst() > core.Noted || !strings.HasPrefix(report.Findings[0].Observed, "3 of 3") {
				t.Errorf("%+v, %v", report, err)
			}
			for node, a := range c.nodes {
				if all := strings.Join(a.Problems(), "\n"); strings.Contains(all, "every node needs its own id") || strings.Contains(all, "is used from") {
					t.Errorf("%s names:\n%s", node, all)
				}
			}
		})
	}
}
