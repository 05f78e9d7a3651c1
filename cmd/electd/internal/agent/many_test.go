package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/internal/servers"
)

// inMemory is a folder that costs no disk: a thousand first epochs at once are not
// what is measured.
func inMemory(t testing.TB) string {
	t.Helper()
	parent := "/dev/shm"
	if _, err := os.Stat(parent); err != nil {
		parent = ""
	}
	dir, err := os.MkdirTemp(parent, "m-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// patient are leases that a machine which does a lot beside does not lose; they
// cost as many heartbeats as any.
const patient = "  heartbeat_lease = \"20s\"\n  arbiter_lease = \"60s\"\n"

// startPair starts two daemons with n elections each in this process, and waits
// until every election has a leader that heartbeats alone carry.
func startPair(t testing.TB, n int) [2]*Agent {
	t.Helper()
	dir, store := inMemory(t), servers.Strict3(t)
	ports := [2]int{servers.FreePort(t), servers.FreePort(t)}
	var pair [2]*Agent
	for i, name := range [2]string{"db-a", "db-b"} {
		var text strings.Builder
		fmt.Fprintf(&text, "node {\n  id = %q\n  data_dir = %q\n}\n", name, filepath.Join(dir, name))
		fmt.Fprintf(&text, "arbiter \"s3\" {\n  bucket = %q\n  region = %q\n  endpoint = %q\n  path_style = true\n  access_key_id = %q\n  secret_access_key = %q\n}\n",
			store.Bucket, store.Region, store.Endpoint, store.AccessKeyID, store.SecretAccessKey)
		fmt.Fprintf(&text, "transport {\n  listen = \"127.0.0.1:%d\"\n  insecure = true\n  peer \"db-%c\" {\n    address = \"127.0.0.1:%d\"\n  }\n}\n", ports[i], 'b'-i, ports[1-i])
		for k := range n {
			fmt.Fprintf(&text, "election \"e%04d\" {\n%s}\n", k, patient)
		}
		path := filepath.Join(dir, name+".hcl")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		c, diags := config.Load(path)
		if diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		a, err := Start(t.Context(), Options{Config: c, Version: "test", Log: hclog.NewNullLogger()})
		if err != nil {
			t.Fatal(err)
		}
		pair[i] = a
	}
	t.Cleanup(func() { stopPair(t, pair) })
	awaitCarried(t, pair, n)
	return pair
}

// stopPair stops a pair, if it runs.
func stopPair(t testing.TB, pair [2]*Agent) {
	t.Helper()
	for _, a := range pair {
		if a == nil || a.stopped() {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := a.Stop(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// stopped tells whether all elections have ended.
func (a *Agent) stopped() bool {
	select {
	case <-a.all()[0].node.Done():
		return true
	default:
		return false
	}
}

func awaitCarried(t testing.TB, pair [2]*Agent, n int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		carried := 0
		for _, a := range pair {
			for _, e := range a.all() {
				if s := e.node.Status(); s.Leading && s.Arbiter == 0 {
					carried++
				}
			}
		}
		if carried == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d elections are carried by heartbeats", carried, n)
		}
	}
}

// spent is the CPU time of this process so far.
func spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// held is the memory that this process holds on to, goroutines' stacks included.
func held() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// costs is what the elections of a pair cost.
type costs struct {
	memory     float64 // bytes an election and daemon
	goroutines float64 // an election and daemon
}

// costOf compares a pair of daemons with n elections to one with a single one.
func costOf(t testing.TB, n int) ([2]*Agent, costs) {
	t.Helper()
	var memory, goroutines [2]float64
	var pair [2]*Agent
	for i, elections := range [2]int{1, n} {
		pair = startPair(t, elections)
		memory[i], goroutines[i] = leastOf(held), leastOf(func() float64 { return float64(runtime.NumGoroutine()) })
		if i == 0 {
			stopPair(t, pair)
		}
	}
	each := float64(2 * (n - 1))
	return pair, costs{(memory[1] - memory[0]) / each, (goroutines[1] - goroutines[0]) / each}
}

// leastOf looks several times: a machine that does a lot beside makes heartbeats
// late, and what that starts is not what is measured.
func leastOf(measure func() float64) float64 {
	least := measure()
	for range 10 {
		time.Sleep(200 * time.Millisecond)
		least = min(least, measure())
	}
	return least
}

// TestManyElections: an election more costs memory, and neither a connection nor
// a process nor a goroutine; heartbeats travel together.
func TestManyElections(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED with -short: the race detector has a memory of its own, and is slow at this")
	}
	const n = 200
	pair, cost := costOf(t, n)
	t.Logf("an election costs %.1f KiB and %.2f goroutines", cost.memory/1024, cost.goroutines)
	if cost.memory > 24<<10 {
		t.Errorf("an election costs %.1f KiB", cost.memory/1024)
	}
	if cost.goroutines > 0.5 {
		t.Errorf("an election costs %.2f goroutines", cost.goroutines)
	}
	messages, frames := traffic(pair)
	time.Sleep(3 * time.Second)
	more, moreFrames := traffic(pair)
	t.Logf("%d messages in %d frames", more-messages, moreFrames-frames)
	if perFrame := float64(more-messages) / float64(moreFrames-frames); perFrame < 2 {
		t.Errorf("%.1f messages a frame: heartbeats are not batched", perFrame)
	}
	for _, a := range pair {
		if starts := a.host.Status().Starts; starts != 1 {
			t.Errorf("%s started %d processes for the arbiter", a.dir.Node(), starts)
		}
		for _, c := range a.wire.Counters() {
			if c.Connects > 3 { // one, if the machine does not stutter
				t.Errorf("%s connected %d times to %s", a.dir.Node(), c.Connects, c.Node)
			}
		}
	}
}

// BenchmarkManyElections measures a thousand elections with one peer that all is
// well with: what each daemon spends, and what each election holds.
func BenchmarkManyElections(b *testing.B) {
	const n = 1000
	pair, cost := costOf(b, n)
	messages, frames := traffic(pair)
	began, cpu := time.Now(), spent(b)
	for b.Loop() {
		time.Sleep(5 * time.Second)
	}
	took, cpu := time.Since(began), spent(b)-cpu
	messages2, frames2 := traffic(pair)
	b.ReportMetric(100*cpu.Seconds()/took.Seconds()/2, "%cpu/daemon")
	b.ReportMetric(cost.memory/1024, "KiB/election")
	b.ReportMetric(cost.goroutines, "goroutines/election")
	b.ReportMetric(float64(messages2-messages)/float64(frames2-frames), "messages/frame")
	b.ReportMetric(float64(messages2-messages)/took.Seconds()/2, "messages/s")
}

func traffic(pair [2]*Agent) (messages, frames uint64) {
	for _, a := range pair {
		for _, c := range a.wire.Counters() {
			messages, frames = messages+c.Sent, frames+c.FramesSent
		}
	}
	return messages, frames
}
