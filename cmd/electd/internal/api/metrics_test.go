package api

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/electd/electd/client/clienttest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// scraped is what one scrape of a daemon has shown.
type scraped map[string]*dto.MetricFamily

func scrape(t *testing.T, url string) scraped {
	t.Helper()
	answer, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return families
}

// value sums the samples of a metric whose labels have those values; of a
// histogram it is the number of observations. NaN: there is none.
func (s scraped) value(name string, labels ...string) float64 {
	family, ok := s[name]
	if !ok {
		return math.NaN()
	}
	sum, found := 0.0, false
	for _, m := range family.Metric {
		if !has(m, labels) {
			continue
		}
		found = true
		switch {
		case m.Counter != nil:
			sum += m.Counter.GetValue()
		case m.Gauge != nil:
			sum += m.Gauge.GetValue()
		case m.Histogram != nil:
			sum += float64(m.Histogram.GetSampleCount())
		}
	}
	if !found {
		return math.NaN()
	}
	return sum
}

func has(m *dto.Metric, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		if !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == labels[i] && l.GetValue() == labels[i+1] }) {
			return false
		}
	}
	return true
}

// sum is the total of a histogram's observations.
func (s scraped) sum(name string) float64 {
	total := 0.0
	for _, m := range s[name].GetMetric() {
		total += m.Histogram.GetSampleSum()
	}
	return total
}

// TestFiguresOfAFailover watches two real daemons through a crash and a hand-over.
func TestFiguresOfAFailover(t *testing.T) {
	t.Parallel()
	cluster := clienttest.Start(t, clienttest.Options{InElection: `hook "promote" {
    command = ["true"]
  }`})
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	leader := cluster.Settled("orders")
	follower := cluster.Others(leader)[0]
	var l, f scraped
	cluster.Await("a few heartbeats", func() *clienttest.Daemon {
		l, f = scrape(t, leader.URL()), scrape(t, follower.URL())
		if f.value("electd_heartbeats_received_total", "peer", leader.Name) >= 4 &&
			l.value("electd_heartbeats_acknowledged_total", "peer", follower.Name) >= 3 {
			return leader
		}
		return nil
	})
	check := func(s scraped, want float64, name string, labels ...string) {
		t.Helper()
		if got := s.value(name, labels...); got != want {
			t.Errorf("%s%v is %v, want %v", name, labels, got, want)
		}
	}
	atLeast := func(s scraped, least float64, name string, labels ...string) {
		t.Helper()
		if got := s.value(name, labels...); !(got >= least) {
			t.Errorf("%s%v is %v, want at least %v", name, labels, got, least)
		}
	}
	check(l, 1, "electd_leading", "election", "orders")
	check(f, 0, "electd_leading", "election", "orders")
	check(l, 1, "electd_role", "election", "orders", "role", "leader")
	check(f, 1, "electd_role", "election", "orders", "role", "follower")
	check(l, 1, "electd_role")
	check(l, 1, "electd_epoch", "election", "orders")
	check(f, 1, "electd_epoch", "election", "orders")
	if left := l.value("electd_authority_left_seconds"); left <= 0 || left > 2 {
		t.Errorf("authority left %v s, want at most the lease of 2 s", left)
	}
	check(f, 0, "electd_authority_left_seconds")
	atLeast(l, 3, "electd_heartbeats_sent_total", "peer", follower.Name)
	atLeast(l, 3, "electd_heartbeats_acknowledged_total", "peer", follower.Name)
	atLeast(l, 3, "electd_heartbeat_round_trip_seconds", "peer", follower.Name)
	atLeast(f, 4, "electd_heartbeats_received_total", "peer", leader.Name)
	if off, by := l.value("electd_clock_offset_seconds"), l.value("electd_clock_offset_uncertainty_seconds"); math.Abs(off) > by+.05 {
		t.Errorf("the clock of the same machine is off by %v s, give or take %v", off, by)
	}
	check(l, 1, "electd_elector_acknowledges", "peer", follower.Name)
	check(l, 1, "electd_peer_connected", "peer", follower.Name)
	check(l, 1, "electd_takes_total", "outcome", "won")
	check(l, 1, "electd_hook_seconds", "hook", "promote", "outcome", "done")
	check(l, 1, "electd_arbiter_requests_total", "operation", "take", "outcome", "applied")
	check(l, 1, "electd_arbiter_plugin_up")
	check(l, 1, "electd_arbiter_usable")
	atLeast(l, 1, "electd_loop_lag_seconds")

	leader.Kill()
	cluster.Await("the follower to lead", func() *clienttest.Daemon {
		if e, err := follower.Election("orders"); err != nil || !e.Leading {
			return nil
		}
		return follower
	})
	cluster.Await("missed heartbeats", func() *clienttest.Daemon {
		if f = scrape(t, follower.URL()); f.value("electd_heartbeats_missed_total", "peer", leader.Name) > 0 {
			return follower
		}
		return nil
	})
	check(f, 1, "electd_failover_seconds")
	if took := f.sum("electd_failover_seconds"); took < 1 || took > 8 {
		t.Errorf("the failover took %v s, want about the heartbeat lease of 2 s", took)
	}
	check(f, 1, "electd_transitions_total", "to", "taking", "reason", "holder-silent")
	check(f, 0, "electd_peer_connected", "peer", leader.Name)

	leader.Start()
	cluster.Settled("orders")
	if _, err := follower.Client.StepDown(t.Context(), "orders", leader.Name); err != nil {
		t.Fatal(err)
	}
	if l := cluster.Leader("orders"); l != leader {
		t.Fatalf("%s leads, want %s", l.Name, leader.Name)
	}
	f = scrape(t, follower.URL())
	check(f, 1, "electd_fences_total", "reason", "hand-over")
	check(f, 0, "electd_leading")
	l = scrape(t, leader.URL())
	check(l, 1, "electd_failover_seconds")
	if took := l.sum("electd_failover_seconds"); took > 1.5 {
		t.Errorf("the hand-over took %v s, want no wait for a lease", took)
	}

	described := map[string]bool{}
	for _, f := range newMetrics().all {
		described[f.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if strings.HasPrefix(name, "electd_") && !described[name] {
			t.Errorf("%s is exported and not described", name)
		}
	}
}

// TestMissedAndRefusedHeartbeats counts what a healthy pair does not show.
func TestMissedAndRefusedHeartbeats(t *testing.T) {
	m := newMetrics()
	o := m.meter("orders")
	for range 3 {
		o.Sent("db-b", core.Heartbeat)
	}
	o.Received("db-b", core.Ack)
	o.Sent("db-b", core.Heartbeat)
	o.Received("db-b", core.Busy)
	o.Received("db-b", core.Stale)
	o.Told(core.ToldDenied, 1)
	o.Answered(node.Call{Intent: core.Renew, Outcome: core.Unknown, Took: time.Second})
	o.Changed(node.Change{From: core.Leading, To: core.Fenced, Reason: core.BecauseAuthorityEnds})
	o.Changed(node.Change{From: core.Taking, To: core.Following, Reason: core.BecauseTakeLost})
	gathered, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	s := scraped{}
	for _, f := range gathered {
		s[f.GetName()] = f
	}
	for name, want := range map[string]float64{
		"electd_heartbeats_sent_total": 4, "electd_heartbeats_missed_total": 2, "electd_heartbeats_acknowledged_total": 1,
		"electd_heartbeats_refused_total": 2, "electd_alarms_total": 1, "electd_fences_total": 1, "electd_takes_total": 1,
	} {
		if got := s.value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := s.value("electd_arbiter_requests_total", "operation", "renew", "outcome", "unknown"); got != 1 {
		t.Errorf("renewals whose outcome is unknown: %v, want 1", got)
	}
}

// TestAnElectionCostsLittle: a daemon runs a thousand of them.
func TestAnElectionCostsLittle(t *testing.T) {
	const elections = 1000
	m := newMetrics()
	use := func(name string) {
		o := m.meter(name)
		o.Changed(node.Change{From: core.NoLease, To: core.Taking, Reason: core.BecauseVacant})
		o.Changed(node.Change{From: core.Taking, To: core.Promoting, Reason: core.BecauseTaken})
		o.Changed(node.Change{From: core.Promoting, To: core.Leading, Reason: core.BecausePromoted})
		o.Answered(node.Call{Outcome: core.Applied})
		o.Sent("db-b", core.Heartbeat)
		o.Received("db-b", core.Ack)
		o.RoundTrip("db-b", time.Millisecond)
	}
	use("orders")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range elections {
		use(fmt.Sprintf("shard-%04d", i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	cost := (after.HeapAlloc - before.HeapAlloc) / elections
	t.Logf("%d bytes an election", cost)
	if cost > 4<<10 {
		t.Errorf("the figures of an election take %d bytes, want at most 4 KiB", cost)
	}
}

var update = flag.Bool("update", false, "write the tables in docs/ anew")

const (
	metricsPage  = "../../../../docs/metrics.md"
	metricsBegin = "<!-- This table is written by the tests of cmd/electd/internal/api (-update). -->\n"
	metricsEnd   = "<!-- Here the table ends. -->\n"
)

// TestMetricsAreDocumented: the table in docs/metrics.md is that of the code.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), metricsBegin)
	_, after, ended := strings.Cut(rest, metricsEnd)
	if !ok || !ended {
		t.Fatalf("%s has no place for the table", metricsPage)
	}
	var b strings.Builder
	b.WriteString(before + metricsBegin + "| metric | kind | labels | what it says |\n|---|---|---|---|\n")
	for _, f := range newMetrics().all {
		labels := ""
		if len(f.labels) > 0 {
			labels = "`" + strings.Join(f.labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, f.kind, labels, f.help)
	}
	b.WriteString(metricsEnd + after)
	if *update {
		if err := os.WriteFile(metricsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !*update && b.String() != string(text) {
		t.Errorf("%s is not what the code exports: run the tests of this package with -update", metricsPage)
	}
}
