package monitoring_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/client/clienttest"
	"github.com/electd/electd/internal/servers"
)

func TestPromtoolAcceptsEverything(t *testing.T) {
	t.Parallel()
	promtool := servers.Need(t, "promtool")
	for _, arguments := range [][]string{
		{"check", "config", "prometheus.yml"}, {"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"},
	} {
		out, err := exec.Command(promtool, arguments...).CombinedOutput()
		if err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
}

// dashboard is what the tests look at in dashboard.json.
type dashboard struct {
	Panels []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr string }
	}
	Annotations struct{ List []struct{ Expr string } }
	Templating  struct {
		List []struct {
			Name  string
			Query any
		}
	}
}

func loadDashboard(t *testing.T) dashboard {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// queries are all that the dashboard asks, as Grafana would ask it.
func (d dashboard) queries() map[string]string {
	filled := strings.NewReplacer("$election", ".*", "$__rate_interval", "1m")
	out := map[string]string{}
	for _, p := range d.Panels {
		for i, target := range p.Targets {
			out[fmt.Sprintf("%s (%d)", p.Title, i+1)] = filled.Replace(target.Expr)
		}
	}
	for _, a := range d.Annotations.List {
		out["annotation"] = filled.Replace(a.Expr)
	}
	return out
}

func TestPanelsStandBesideEachOther(t *testing.T) {
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range loadDashboard(t).Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q has no id of its own, no title or no query", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q sticks out to the right", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, ok := taken[at]; ok {
					t.Fatalf("%q covers %q", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
	}
}

var metric = regexp.MustCompile(`electd_[a-z_]+`)

// TestMetricsExist: no alert and no panel asks for a metric that no electd exports.
// docs/metrics.md is held against the code by a test there.
func TestMetricsExist(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	known := metric.FindAllString(string(page), -1)
	for _, file := range []string{"alerts.yml", "alerts_test.yml", "dashboard.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metric.FindAllString(string(text), -1) {
			base := name
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, part)
			}
			if !slices.Contains(known, base) {
				t.Errorf("%s asks for %s, which is not among the metrics", file, name)
			}
		}
	}
}

// TestADashboardFullOfFigures lets a real Prometheus watch a pair through a
// failover, and asks it everything that the dashboard does.
func TestADashboardFullOfFigures(t *testing.T) {
	t.Parallel()
	program := servers.Need(t, "prometheus")
	cluster := clienttest.Start(t, clienttest.Options{InElection: `hook "promote" {
    command = ["true"]
  }`})
	leader := cluster.Settled("orders")
	p := startPrometheus(t, program, cluster)
	p.await(t, "heartbeats", `electd_heartbeats_acknowledged_total > 2`)
	leader.Kill()
	p.await(t, "the failover", `electd_failover_seconds_count > 0`)
	leader.Start()
	cluster.Settled("orders")
	for name, query := range loadDashboard(t).queries() {
		if strings.Contains(query, "credentials_expire") {
			query = "absent(" + query + ")" // this pair's never end; alerts_test.yml has some that do
		}
		p.await(t, name, query)
	}
	p.checkRules(t)
}

// prometheus is a Prometheus that runs.
type prometheus struct{ url string }

func startPrometheus(t *testing.T, program string, cluster *clienttest.Cluster) prometheus {
	t.Helper()
	config, err := os.ReadFile("prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(config)
	for before, after := range map[string]string{
		`"10.0.0.1:7401", "10.0.0.2:7401"`: fmt.Sprintf("%q, %q", cluster.Nodes[0].Address, cluster.Nodes[1].Address),
		"15s":                              "500ms", "alerts.yml": rules,
	} {
		if !strings.Contains(text, before) {
			t.Fatalf("prometheus.yml has no %s", before)
		}
		text = strings.ReplaceAll(text, before, after)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	port := servers.FreePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	servers.Run(t, port, exec.Command(program, "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address))
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	p := prometheus{"http://" + address}
	for deadline := time.Now().Add(30 * time.Second); p.get("status/runtimeinfo", new(any)) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Prometheus does not become ready")
		}
	}
	return p
}

// get asks for a part of Prometheus' API.
func (p prometheus) get(path string, into any) error {
	answer, err := http.Get(p.url + "/api/v1/" + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, text)
	}
	return json.Unmarshal(text, into)
}

// await asks until a query finds something. What an error says, a wrong query
// say, is said at once.
func (p prometheus) await(t *testing.T, name, query string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var said struct {
			Data struct{ Result []json.RawMessage }
		}
		if err := p.get("query?query="+url.QueryEscape(query), &said); err != nil {
			t.Fatalf("%s: %s: %v", name, query, err)
		}
		if len(said.Data.Result) > 0 {
			return
		}
	}
	t.Errorf("%s: nothing is found in half a minute: %s", name, query)
}

// checkRules: every rule was evaluated, and none failed.
func (p prometheus) checkRules(t *testing.T) {
	t.Helper()
	var said struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := p.get("rules", &said); err != nil {
		t.Fatal(err)
	}
	rules := 0
	for _, g := range said.Data.Groups {
		for _, r := range g.Rules {
			rules++
			if r.Health != "ok" {
				t.Errorf("rule %s is %s: %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if rules == 0 {
		t.Error("no rules are loaded")
	}
}
