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
			fmt.Fprintf(&text, "election \"e%04d\" {}\n", k)
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
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := a.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	awaitCarried(t, pair, n)
	return pair
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
func held() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// BenchmarkManyElections measures a thousand elections with one peer that all is
// well with: what each daemon spends, and what each election holds.
func BenchmarkManyElections(b *testing.B) {
	const n = 1000
	base := held()
	pair := startPair(b, n)
	time.Sleep(2 * time.Second)
	used := held() - base
	messages, frames := traffic(pair)
	began, cpu := time.Now(), spent(b)
	for b.Loop() {
		time.Sleep(5 * time.Second)
	}
	took, cpu := time.Since(began), spent(b)-cpu
	messages2, frames2 := traffic(pair)
	b.ReportMetric(100*cpu.Seconds()/took.Seconds()/2, "%cpu/daemon")
	b.ReportMetric(float64(used)/2/n/1024, "KiB/election")
	b.ReportMetric(float64(messages2-messages)/float64(frames2-frames), "messages/frame")
	b.ReportMetric(float64(runtime.NumGoroutine())/2/n, "goroutines/election")
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
