package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFlagsWithOneDash(t *testing.T) {
	for line, want := range map[string]string{
		"run -seeds 10 -json":       "run --seeds 10 --json",
		"run --seeds=10 --json":     "run --seeds=10 --json",
		"explore -budget=60s":       "explore --budget=60s",
		"mutants -harmless-seeds 5": "mutants --harmless-seeds 5",
		"run -first -1 -h":          "run --first -1 -h",
		"run - -- -seeds":           "run - -- -seeds",
	} {
		if got := doubleDashes(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s became %q, want %s", line, got, want)
		}
	}
}

// TestRun asks for the same with one dash and with two, and reads the sum.
func TestRun(t *testing.T) {
	for _, line := range []string{"run -seeds 20 -partial -json", "run --seeds 20 --partial --json"} {
		var out bytes.Buffer
		root := rootCommand()
		root.SetOut(&out)
		root.SetArgs(doubleDashes(strings.Fields(line)))
		if err := root.Execute(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		var sum map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"failovers", "simulated_hours", "events", "events_per_second", "violations", "coverage"} {
			if _, ok := sum[name]; !ok {
				t.Errorf("%s: %q is not in %s", line, name, out.String())
			}
		}
		if sum["seeds"] != 20.0 || sum["violations"] != 0.0 {
			t.Errorf("%s: %s", line, out.String())
		}
	}
}

// TestPurse: one hunt may use several even parts of what is left, what it leaves is for
// those after it, and nobody may use more than one may.
func TestPurse(t *testing.T) {
	p := &purse{most: 6 * time.Second, left: 20 * time.Second, hunts: 40}
	for i, want := range []time.Duration{4 * time.Second, 160 * time.Second / 39, 160 * time.Second / 38} {
		got := p.share()
		if got != want {
			t.Errorf("hunt %d may use %v, want %v", i, got, want)
		}
		p.giveBack(got) // it was over at once
	}
	p.hunts = 2
	if got := p.share(); got != p.most {
		t.Errorf("one of the last may use %v", got)
	}
	p.giveBack(-20 * time.Second)
	if got := p.share(); got != 0 {
		t.Errorf("when all is spent %v is left", got)
	}
}
