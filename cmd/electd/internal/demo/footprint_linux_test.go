package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// family returns the process of a node and all that it has started.
func family(pid int) []int {
	out := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			var child int
			fmt.Sscan(field, &child)
			out = append(out, family(child)...)
		}
	}
	return out
}

// proportionalSize is a process's memory, what it shares divided among those it
// shares it with, in bytes.
func proportionalSize(b *testing.B, pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	b.Fatalf("no Pss in %s", text)
	return 0
}

// busy is the time that a process has run so far. The kernel counts it to the
// nanosecond here, in /proc/PID/stat only to the hundredth of a second.
func busy(b *testing.B, pid int) time.Duration {
	var sum time.Duration
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		b.Fatalf("process %d is gone", pid)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // a thread that has ended
		}
		var ran int64
		fmt.Sscan(string(text), &ran)
		sum += time.Duration(ran)
	}
	return sum
}

// BenchmarkFootprint measures a healthy pair at rest: memory of each node, its
// plugin's process included, and how busy each keeps a core.
func BenchmarkFootprint(b *testing.B) {
	w, err := newWorld(program, defaults)
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	if err := w.start(); err != nil {
		b.Fatal(err)
	}
	p := &player{world: w}
	if _, _, err := p.settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	leader, _ := w.leader()
	follower := w.others(leader.name)[0]
	for b.Loop() {
		const look = 20 * time.Second
		if err := pause(b.Context(), 5*time.Second); err != nil { // what a start leaves behind
			b.Fatal(err)
		}
		before := map[*process][]time.Duration{}
		for _, p := range w.nodes {
			for _, pid := range family(p.command.Process.Pid) {
				before[p] = append(before[p], busy(b, pid))
			}
		}
		if err := pause(b.Context(), look); err != nil {
			b.Fatal(err)
		}
		for role, p := range map[string]*process{"leader": leader, "follower": follower} {
			var ran time.Duration
			for i, pid := range family(p.command.Process.Pid) {
				ran += busy(b, pid) - before[p][i]
			}
			b.ReportMetric(100*ran.Seconds()/look.Seconds(), "%core-"+role)
		}
	}
	// On a machine of its own a node shares its program with nobody.
	if err := follower.kill(); err != nil {
		b.Fatal(err)
	}
	size := int64(0)
	for i, pid := range family(leader.command.Process.Pid) {
		one := proportionalSize(b, pid)
		b.Logf("process %d of the leader: %.1f MiB", i, float64(one)/(1<<20))
		size += one
	}
	b.ReportMetric(float64(size)/(1<<20), "MiB-leader")
	b.ReportMetric(0, "ns/op")
}
