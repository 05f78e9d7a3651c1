package gcs_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/gcs"
	"github.com/electd/electd/arbiter/internal/faultproxy"
	"github.com/electd/electd/core"
	"github.com/electd/electd/internal/servers"
)

// verdicts are a report's, by check.
func verdicts(t *testing.T, report core.ProbeReport) map[string]core.Verdict {
	t.Helper()
	found := map[string]core.Verdict{}
	for _, f := range report.Findings {
		t.Logf("%-12s %-26s %s %s", f.Verdict, f.Check, f.Observed, f.Advice)
		found[f.Check] = f.Verdict
	}
	return found
}

func TestProbeAcceptsAnHonestStore(t *testing.T) {
	onEveryServer(t, func(t *testing.T, server servers.GCS) {
		proxy := faultproxy.New(t, server.Endpoint)
		a := open(t, gcs.Config{Bucket: server.Bucket, Endpoint: proxy.URL})
		a.Unpaced()
		report, err := a.Probe(t.Context(), "probe")
		if err != nil {
			t.Fatal(err)
		}
		verdicts(t, report)
		if report.Worst() > core.Noted {
			t.Errorf("the worst finding is %v", report.Worst())
		}
		if sent := len(proxy.Log()); report.Requests != sent {
			t.Errorf("reported %d requests, and %d were sent", report.Requests, sent)
		}
		if report.Read.Count == 0 || report.Write.Count == 0 || report.OffsetBy == 0 {
			t.Errorf("measured %+v", report)
		}
	})
}

// At the pace that Google bears, a start must not wait for long. Part of the soak:
// it takes a second a write.
func TestProbeAtTheStoresPace(t *testing.T) {
	if os.Getenv("ELECTD_SOAK") == "" {
		return
	}
	server := servers.Gcsemulator(t)
	a := open(t, gcs.Config{Bucket: server.Bucket, Endpoint: server.Endpoint})
	start := time.Now()
	report, err := a.Probe(t.Context(), "probe")
	if err != nil || report.Worst() > core.Noted {
		t.Errorf("got %v, %v", report.Worst(), err)
	}
	if took := time.Since(start); took > 40*time.Second {
		t.Errorf("the probe took %v", took)
	} else {
		t.Logf("the probe took %v and %d requests", took, report.Requests)
	}
}

// A store that ignores a condition would let two leaders live.
func TestProbeRefusesAStoreThatIgnoresConditions(t *testing.T) {
	server := servers.Gcsemulator(t)
	proxy := faultproxy.New(t, server.Endpoint)
	proxy.Decide(func(r *http.Request) faultproxy.Verdict {
		query := r.URL.Query()
		query.Del("ifGenerationMatch")
		r.URL.RawQuery = query.Encode()
		return nil
	})
	a := open(t, gcs.Config{Bucket: server.Bucket, Endpoint: proxy.URL})
	a.Unpaced()
	report, err := a.Probe(t.Context(), "probe")
	if err != nil {
		t.Fatal(err)
	}
	found := verdicts(t, report)
	for _, check := range []string{"second-create-refused", "stale-swap-refused", "swap-once"} {
		if found[check] != core.Refused {
			t.Errorf("%s is %v", check, found[check])
		}
	}
}

func TestProbeOfAServerThatIsNotThere(t *testing.T) {
	a := open(t, gcs.Config{Bucket: "leases", Endpoint: "http://127.0.0.1:1"})
	report, err := a.Probe(t.Context(), "probe")
	if err != nil || report.Worst() != core.Unreachable {
		t.Errorf("got %v, %+v", err, report)
	}
}

// A bucket that does not exist proves nothing of the store, and is asked about. Of
// the two servers only this one does not make buckets by itself; it does not say
// that the bucket is what is missing.
func TestProbeOfAMissingBucket(t *testing.T) {
	server := servers.FakeGCS(t)
	a := open(t, gcs.Config{Bucket: "nowhere", Endpoint: server.Endpoint})
	a.Unpaced()
	report, err := a.Probe(t.Context(), "probe")
	if err != nil {
		t.Fatal(err)
	}
	verdicts(t, report)
	if report.Worst() != core.Unreachable {
		t.Errorf("the worst finding is %v, want unreachable", report.Worst())
	}
	said := ""
	for _, f := range report.Findings {
		said += f.Observed + "\n"
	}
	if want := `does the bucket exist? Create "nowhere"`; !strings.Contains(said, want) {
		t.Errorf("it does not say %s: %s", want, said)
	}
	_, err = a.CompareAndSwap(t.Context(), core.Swap{Key: "orders/lease.json", Record: []byte("{}")})
	if core.WriteOutcome(err) != core.Invalid {
		t.Errorf("a create in it: %v, want invalid", err)
	}
}
