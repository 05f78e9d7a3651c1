package s3_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/arbiter/strict3"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

func examine(t *testing.T, a *s3.Arbiter) core.ProbeReport {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	report, err := a.Probe(ctx, "probe/node-a")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d requests, offset %v±%v, reads %+v, writes %+v", report.Store, report.Requests, report.Offset, report.OffsetBy, report.Read, report.Write)
	for _, f := range report.Findings {
		t.Logf("%-11s %-24s %s | %s", f.Verdict, f.Check, f.Observed, f.Advice)
	}
	return report
}

func finding(t *testing.T, r core.ProbeReport, check string) core.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %s", check)
	return core.Finding{}
}

// wantFinding fails unless the check has that verdict and says that text.
func wantFinding(t *testing.T, r core.ProbeReport, check string, verdict core.Verdict, says string) {
	t.Helper()
	f := finding(t, r, check)
	if f.Verdict != verdict || !strings.Contains(f.Observed+" "+f.Advice, says) {
		t.Errorf("%s: %s: %s (%s)\nwant %s: %s", check, f.Verdict, f.Observed, f.Advice, verdict, says)
	}
}

func TestProbePassesGoodStores(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store servers.S3) {
		a := open(t, store)
		for range 2 { // the second finds the keys of the first, or does not
			r := examine(t, a)
			if r.Worst() > core.Noted {
				t.Errorf("worst is %s", r.Worst())
			}
			for _, check := range []string{"second-create-refused", "swap-applies", "stale-swap-refused", "swap-once", "reads-are-fresh", "missing-key-is-absent", "create-once"} {
				wantFinding(t, r, check, core.Passed, "")
			}
			if r.Read.Count < 10 || r.Write.P50 <= 0 || r.Read.P50 > r.Read.P99 {
				t.Errorf("latencies %+v %+v", r.Read, r.Write)
			}
			if r.OffsetBy <= 0 || max(r.Offset, -r.Offset) > r.OffsetBy+10*time.Millisecond {
				t.Errorf("offset %v±%v of a clock that is ours", r.Offset, r.OffsetBy)
			}
			if r.Requests < 50 || r.Requests > 250 {
				t.Errorf("%d requests", r.Requests)
			}
		}
	})
}

// Keys of the probe are removed, or, where that is denied, always the same.
func TestProbeLeavesNoHeap(t *testing.T) {
	for _, c := range []struct {
		name string
		deny string
		want int
	}{{"may delete", "", 0}, {"may not delete", "s3:DeleteObject", 2}} {
		t.Run(c.name, func(t *testing.T) {
			store, server := servers.Strict3With(t, strict3.Options{Deny: func(action, _ string) bool { return action == c.deny }}, strict3.Bucket{})
			a := open(t, store)
			for range 3 {
				if r := examine(t, a); r.Worst() > core.Noted {
					t.Errorf("worst is %s", r.Worst())
				}
			}
			if keys := server.Keys(store.Bucket); len(keys) != c.want {
				t.Errorf("left behind: %v, want %d", keys, c.want)
			}
			for _, key := range server.Keys(store.Bucket) {
				if !strings.HasPrefix(key, "prod/probe/node-a") {
					t.Errorf("%s is outside the probe's keys", key)
				}
			}
		})
	}
}

// A store that would let two leaders live is refused, with what it did.
func TestProbeRefuses(t *testing.T) {
	t.Parallel()
	only := func(header string) func(*http.Request) faultproxy.Verdict {
		return func(r *http.Request) faultproxy.Verdict {
			if r.Method == http.MethodPut && r.Header.Get(header) != "" {
				return faultproxy.Unconditional()
			}
			return nil
		}
	}
	for _, c := range []struct {
		name   string
		decide func(*http.Request) faultproxy.Verdict
		check  string
		says   string
	}{
		{"If-Match ignored", only("If-Match"), "stale-swap-refused", "swap on an old version was applied"},
		{"If-Match ignored in a race", only("If-Match"), "swap-once", "were applied"},
		{"If-None-Match ignored", only("If-None-Match"), "second-create-refused", "a create on a key that exists replaced it"},
		{"create raced", only("If-None-Match"), "create-once", "were applied"},
		{"stale reads", staleReads(), "reads-are-fresh", "reads are stale"},
		{"swaps raced", racedSwaps(), "swap-once", "were applied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, proxy := through(t, servers.Gofakes3(t))
			proxy.Decide(c.decide)
			r := examine(t, a)
			wantFinding(t, r, c.check, core.Refused, c.says)
			if r.Worst() != core.Refused {
				t.Errorf("worst is %s, want refused", r.Worst())
			}
		})
	}
}

// staleReads answers every second GET with what the GET before it was answered.
func staleReads() func(*http.Request) faultproxy.Verdict {
	var mu sync.Mutex
	before := map[string]faultproxy.Answer{}
	return func(r *http.Request) faultproxy.Verdict {
		if r.Method != http.MethodGet {
			return nil
		}
		return func(x *faultproxy.Exchange) {
			mu.Lock()
			defer mu.Unlock()
			old, ok := before[r.URL.Path]
			if ok {
				delete(before, r.URL.Path)
				x.Send(old)
				return
			}
			a, err := x.Forward()
			if err != nil {
				x.Drop()
			}
			before[r.URL.Path] = a
			x.Send(a)
		}
	}
}

// racedSwaps checks conditions well, but only against what was there when the
// request came: writes that arrive together are all applied.
func racedSwaps() func(*http.Request) faultproxy.Verdict {
	var mu sync.Mutex
	flying := map[string]int{}
	return func(r *http.Request) faultproxy.Verdict {
		if r.Method != http.MethodPut || r.Header.Get("If-Match") == "" {
			return nil
		}
		return func(x *faultproxy.Exchange) {
			mu.Lock()
			flying[r.URL.Path]++
			mu.Unlock()
			time.Sleep(20 * time.Millisecond)
			mu.Lock()
			together := flying[r.URL.Path] > 1
			mu.Unlock()
			if together {
				faultproxy.Unconditional()(x)
			} else {
				faultproxy.Pass()(x)
			}
			time.Sleep(20 * time.Millisecond)
			mu.Lock()
			flying[r.URL.Path]--
			mu.Unlock()
		}
	}
}

func TestProbeOfUnreachableStores(t *testing.T) {
	t.Parallel()
	store := servers.Strict3(t)
	gone := store
	gone.Endpoint = "http://127.0.0.1:1"
	r := examine(t, open(t, gone))
	wantFinding(t, r, "reachable", core.Unreachable, "connection refused")
	if r.Requests > 2 {
		t.Errorf("%d requests on a store that does not answer", r.Requests)
	}

	slow, proxy := through(t, store)
	proxy.Decide(func(*http.Request) faultproxy.Verdict {
		return faultproxy.Refuse(http.StatusServiceUnavailable, "SlowDown")
	})
	wantFinding(t, examine(t, slow), "reachable", core.Unreachable, "throttled")

	// It stops answering in the middle.
	broken, proxy := through(t, store, shortTimeout)
	n := 0
	proxy.Decide(func(*http.Request) faultproxy.Verdict {
		if n++; n > 20 {
			return faultproxy.Hang()
		}
		return nil
	})
	r = examine(t, broken)
	wantFinding(t, r, "reachable", core.Unreachable, "while examining")
	if r.Worst() != core.Unreachable {
		t.Errorf("worst is %s, want unreachable", r.Worst())
	}
}

func TestProbeNamesMissingPermissions(t *testing.T) {
	for _, c := range []struct {
		action  string
		check   string
		verdict core.Verdict
	}{
		{"s3:PutObject", "permissions", core.Unreachable},
		{"s3:GetObject", "permissions", core.Unreachable},
		{"s3:ListBucket", "permissions", core.Warned},
		{"s3:DeleteObject", "permissions", core.Noted},
		{"s3:GetBucketVersioning", "versioning", core.Noted},
		{"s3:GetLifecycleConfiguration", "versioning", core.Warned},
		{"s3:GetBucketObjectLockConfiguration", "object-lock", core.Noted},
	} {
		t.Run(c.action, func(t *testing.T) {
			store, _ := servers.Strict3With(t, strict3.Options{Deny: func(a, _ string) bool { return a == c.action }}, strict3.Bucket{Versioned: true})
			r := examine(t, open(t, store))
			wantFinding(t, r, c.check, c.verdict, c.action)
		})
	}
	store := servers.Strict3(t)
	r := examine(t, open(t, store, func(c *s3.Config) { c.SecretAccessKey = "guess" }))
	wantFinding(t, r, "reachable", core.Unreachable, "SignatureDoesNotMatch")
}

const rule = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule><ID>x</ID><Filter><Prefix>%s</Prefix></Filter>` +
	`<Status>Enabled</Status><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`

func TestProbeOfBuckets(t *testing.T) {
	for _, c := range []struct {
		name    string
		bucket  strict3.Bucket
		check   string
		verdict core.Verdict
		says    string
	}{
		{"plain", strict3.Bucket{}, "versioning", core.Passed, "not versioned"},
		{"versioned", strict3.Bucket{Versioned: true}, "versioning", core.Warned, `"Filter":{"Prefix":"prod/"}`},
		{"rule for all", strict3.Bucket{Versioned: true, Lifecycle: strings.ReplaceAll(rule, "%s", "")}, "versioning", core.Passed, "removes old versions"},
		{"rule for the prefix", strict3.Bucket{Versioned: true, Lifecycle: strings.ReplaceAll(rule, "%s", "prod/")}, "versioning", core.Passed, "removes old versions"},
		{"rule for another prefix", strict3.Bucket{Versioned: true, Lifecycle: strings.ReplaceAll(rule, "%s", "other/")}, "versioning", core.Warned, "no lifecycle rule"},
		{"object lock", strict3.Bucket{ObjectLock: true}, "object-lock", core.Warned, "GOVERNANCE for 1 days"},
		{"object lock off", strict3.Bucket{Versioned: true}, "object-lock", core.Passed, "no object lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, _ := servers.Strict3With(t, strict3.Options{}, c.bucket)
			wantFinding(t, examine(t, open(t, store)), c.check, c.verdict, c.says)
		})
	}
}

func TestProbeOfClocks(t *testing.T) {
	for _, c := range []struct {
		off     time.Duration
		verdict core.Verdict
	}{{0, core.Passed}, {-10 * time.Second, core.Noted}, {20 * time.Minute, core.Warned}, {-20 * time.Minute, core.Warned}} {
		t.Run(c.off.String(), func(t *testing.T) {
			store, _ := servers.Strict3With(t, strict3.Options{Now: func() time.Time { return time.Now().Add(c.off) }}, strict3.Bucket{})
			r := examine(t, open(t, store))
			wantFinding(t, r, "clock", c.verdict, "")
			if d := r.Offset - c.off; max(d, -d) > r.OffsetBy+5*time.Millisecond {
				t.Errorf("offset %v±%v, want %v", r.Offset, r.OffsetBy, c.off)
			}
		})
	}
}

func TestProbeFindsTheFormOfETags(t *testing.T) {
	a, proxy := through(t, servers.Gofakes3(t))
	proxy.Decide(func(*http.Request) faultproxy.Verdict { return faultproxy.BareETags() })
	r := examine(t, a)
	wantFinding(t, r, "etag-form", core.Noted, `etag = "unquoted"`)
	if r.Worst() > core.Noted {
		t.Errorf("worst is %s", r.Worst())
	}
	// From here on this arbiter writes in that form.
	ctx := context.Background()
	v, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v, Record: []byte("2")}); err != nil {
		t.Fatalf("swap after the probe: %v", err)
	}
}

// Two nodes that start at once and probe under the same key do not disturb each
// other into a refusal.
func TestProbesAtOnce(t *testing.T) {
	for _, deny := range []string{"", "s3:DeleteObject"} {
		t.Run("deny "+deny, func(t *testing.T) {
			store, _ := servers.Strict3With(t, strict3.Options{Deny: func(a, _ string) bool { return a == deny }}, strict3.Bucket{})
			var wg sync.WaitGroup
			for range 3 {
				a := open(t, store)
				wg.Go(func() {
					r, err := a.Probe(context.Background(), "probe/twin")
					if err != nil || r.Worst() == core.Refused {
						t.Errorf("%v, worst %s: %+v", err, r.Worst(), r.Findings)
					}
				})
			}
			wg.Wait()
		})
	}
}
