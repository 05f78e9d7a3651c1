package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/internal/build"
)

// program is the electd built for this test run.
var program string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		program = filepath.Join(folder, "electd")
		return m.Run()
	}, build.Electd))
}

func TestWrong(t *testing.T) {
	took := func(ms float64) *float64 { return &ms }
	failedOver := func(edit func(*Result)) Result {
		r := Result{
			Expect: failsOver, BoundMS: 1800, FailoverMS: took(1500),
			EpochBefore: 4, EpochAfter: 5, LeaderBefore: "db-a", LeaderAfter: "db-b",
		}
		edit(&r)
		return r
	}
	stayed := func(edit func(*Result)) Result {
		r := Result{Expect: stays, EpochBefore: 4, EpochAfter: 4, LeaderBefore: "db-a", LeaderAfter: "db-a"}
		edit(&r)
		return r
	}
	tests := map[string]struct {
		result Result
		lost   error
		want   string // in what it says; empty: nothing is wrong
	}{
		"a failover":                     {failedOver(func(*Result) {}), nil, ""},
		"just in time":                   {failedOver(func(r *Result) { r.FailoverMS = took(1800) }), nil, ""},
		"too late":                       {failedOver(func(r *Result) { r.FailoverMS = took(1800.1) }), nil, "longer than 1800 ms"},
		"no failover":                    {failedOver(func(r *Result) { r.FailoverMS = nil }), nil, "another node"},
		"the same node again":            {failedOver(func(r *Result) { r.LeaderAfter = "db-a" }), nil, "another node"},
		"an epoch left out":              {failedOver(func(r *Result) { r.EpochAfter = 6 }), nil, "rise by one"},
		"an overlap, however short":      {failedOver(func(r *Result) { r.OverlapMS = milliseconds(1) }), nil, "open at once for 0.001 ms"},
		"reports were lost":              {failedOver(func(*Result) {}), errors.New("report 7 is lost"), "report 7"},
		"a leader that stays":            {stayed(func(*Result) {}), nil, ""},
		"an overlap though it stays":     {stayed(func(r *Result) { r.OverlapMS = 3 }), nil, "open at once"},
		"another leads":                  {stayed(func(r *Result) { r.LeaderAfter, r.EpochAfter = "db-b", 5 }), nil, "was to stay"},
		"nobody leads":                   {stayed(func(r *Result) { r.LeaderAfter, r.EpochAfter = "", 0 }), nil, "was to stay"},
		"the same at a later epoch":      {stayed(func(r *Result) { r.EpochAfter = 6 }), nil, "was to stay"},
		"it stays, but reports are lost": {stayed(func(*Result) {}), errors.New("report 7 is lost"), "report 7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := wrong(test.result, test.lost)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("wrong: %q, want %q in it", got, test.want)
			}
		})
	}
}

// TestFinish: whatever was wrong at any time makes the whole fail.
func TestFinish(t *testing.T) {
	tests := map[string]struct {
		happen func(*player)
		failed bool
	}{
		"all well":            {func(p *player) { p.count(Result{}) }, false},
		"a fault failed":      {func(p *player) { p.count(Result{Failed: "too late"}); p.count(Result{}) }, true},
		"the store was asked": {func(p *player) { p.summary.StoreRequestsHealthy = 1 }, true},
		"an overlap between two faults": {func(p *player) {
			p.world.line.report("a", opened(1, 0, 10))
			p.world.line.report("b", opened(2, 9, 20))
		}, true},
		"a report is lost": {func(p *player) { p.world.line.lose(errors.New("report 7 is lost")) }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &player{world: &world{line: newTimeline()}}
			test.happen(p)
			if err := p.finish(); errors.Is(err, ErrFailed) != test.failed {
				t.Errorf("finish: %v", err)
			}
		})
	}
}

func TestAnUnknownFaultIsNamed(t *testing.T) {
	err := Script(t.Context(), Options{Script: []string{"kill", "explode"}, Program: "/does/not/exist"})
	if !errors.Is(err, ErrUnknownFault) || !strings.Contains(err.Error(), `"explode"`) || !strings.Contains(err.Error(), "blip-kill") {
		t.Errorf("an unknown fault: %v", err)
	}
}

// TestScript runs the quickest faults with real processes: what is printed, what
// is left behind. That a failover keeps its bound is for the demo to say, on a
// machine that does nothing else; beside other tests it may take longer.
func TestScript(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Setenv("TMPDIR", shortFolder(t))
	var out bytes.Buffer
	began := time.Now()
	if err := Script(t.Context(), Options{Script: []string{"step-down", "kill"}, JSON: true, Out: &out, Program: program}); err != nil && !errors.Is(err, ErrFailed) {
		t.Fatalf("%v\n%s", err, &out)
	}
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%q is not one object: %v", line, err)
		}
		if failed, ok := object["failed"].(string); ok {
			if !strings.HasPrefix(failed, "the failover took longer than") {
				t.Errorf("%s: %s", object["fault"], failed)
			}
			t.Logf("%s: %s", object["fault"], failed)
		}
		delete(object, "failed")
		lines = append(lines, object)
	}
	if len(lines) != 3 {
		t.Fatalf("%d lines, want one a fault and the summary:\n%s", len(lines), &out)
	}
	fault := []string{"bound_ms", "epoch_after", "epoch_before", "event", "expect", "failover_ms", "fault", "leader_after", "leader_before", "overlap_ms"}
	summary := []string{"event", "faults", "healthy_seconds", "max_overlap_ms", "store_requests_healthy"}
	for i, want := range [][]string{fault, fault, summary} {
		if got := fields(lines[i]); !slices.Equal(got, want) {
			t.Errorf("line %d has the fields %v, want %v", i+1, got, want)
		}
	}
	down, kill, all := lines[0], lines[1], lines[2]
	if down["fault"] != "step-down" || kill["fault"] != "kill" || kill["expect"] != "fails_over" || kill["bound_ms"] != 1800.0 || down["bound_ms"] != 300.0 {
		t.Errorf("faults: %v", lines[:2])
	}
	if down["epoch_after"] != kill["epoch_before"] || down["leader_after"] != kill["leader_before"] {
		t.Errorf("the second fault does not go on from the first: %v", lines[:2])
	}
	// The lease runs from the last heartbeat that was acknowledged, up to an
	// interval before the kill.
	if took := kill["failover_ms"].(float64); took < 900 || took > 6000 {
		t.Errorf("failover after the kill took %v ms", took)
	}
	if healthy := all["healthy_seconds"].(float64); all["event"] != "summary" || all["faults"] != 2.0 || healthy < 4 || healthy > time.Since(began).Seconds() {
		t.Errorf("summary: %v", all)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestANodeThatEndsIsNoticed at once, and its log shown.
func TestANodeThatEndsIsNoticed(t *testing.T) {
	t.Setenv("TMPDIR", shortFolder(t))
	stub := filepath.Join(t.TempDir(), "electd")
	if err := os.WriteFile(stub, []byte("#!/bin/sh\necho it cannot be >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err := Script(t.Context(), Options{Script: []string{"kill"}, Out: io.Discard, Program: stub})
	if err == nil || !strings.Contains(err.Error(), "ended by itself") || !strings.Contains(err.Error(), "it cannot be") {
		t.Errorf("nodes that end: %v", err)
	}
	if took := time.Since(began); took > settleWithin/2 {
		t.Errorf("noticed after %s", took)
	}
}

// TestALongTemporaryFolder is not used: Unix sockets have short names.
func TestALongTemporaryFolder(t *testing.T) {
	long := filepath.Join(shortFolder(t), strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	folder, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(folder)
	if socket := filepath.Join(folder, "db-a", "api.sock"); len(socket) > 100 {
		t.Errorf("a socket's name has %d bytes: %s", len(socket), socket)
	}
}

func fields(object map[string]any) []string {
	var out []string
	for name := range object {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// shortFolder is a folder whose name leaves room for that of a Unix socket.
func shortFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "t-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}
