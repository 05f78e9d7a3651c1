package service

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/electd/electd/client"
)

// span is one span as a collector gets it.
type span struct {
	node, name, trace, id, parent string
	from, to                      uint64 // ns
	attributes                    map[string]string
}

// traceCollector takes OTLP over HTTP.
type traceCollector struct {
	url   string
	mu    sync.Mutex
	spans []span
}

func newTraceCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := &traceCollector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		c.take(&request)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *traceCollector) take(request *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range request.ResourceSpans {
		node := ""
		for _, a := range r.Resource.Attributes {
			if a.Key == "service.instance.id" {
				node = a.Value.GetStringValue()
			}
		}
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				attributes := map[string]string{}
				for _, a := range s.Attributes {
					attributes[a.Key] = a.Value.GetStringValue()
				}
				c.spans = append(c.spans, span{
					node: node, name: s.Name, trace: hex.EncodeToString(s.TraceId), id: hex.EncodeToString(s.SpanId),
					parent: hex.EncodeToString(s.ParentSpanId), from: s.StartTimeUnixNano, to: s.EndTimeUnixNano, attributes: attributes,
				})
			}
		}
	}
}

// of are the spans of one trace.
func (c *traceCollector) of(trace string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.spans), func(s span) bool { return s.trace != trace })
}

func find(spans []span, node, name string) (span, bool) {
	i := slices.IndexFunc(spans, func(s span) bool { return s.node == node && s.name == name })
	if i < 0 {
		return span{}, false
	}
	return spans[i], true
}

// traceOf is the id of the trace of the failover that ends an epoch of orders.
func traceOf(deployment string, ended uint64) (trace, root string) {
	sum := sha256.Sum256(fmt.Appendf(nil, "electd\n%s\norders\n%d\n", deployment, ended))
	return hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])
}

// awaitTrace waits until all those spans of a trace have come, "node name" each.
func (c *traceCollector) awaitTrace(t *testing.T, trace string, want ...string) []span {
	t.Helper()
	var have []span
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		have = c.of(trace)
		missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool {
			return slices.ContainsFunc(have, func(s span) bool { return s.node+" "+s.name == w })
		})
		if len(missing) == 0 {
			return have
		}
		if time.Now().After(deadline) {
			t.Fatalf("the trace %s lacks %q, and has %+v", trace, missing, have)
		}
	}
}

// One failover is one trace, although two nodes that exchange nothing about it
// export it.
func TestAFailoverIsOneTraceAcrossNodes(t *testing.T) {
	t.Parallel()
	c := newTraceCollector(t)
	a, b := paired(t, hook("promote", "true")+hook("fence", "true", "    timeout = \"200ms\"\n")+hook("demote", "true")+run("exec sleep 1000"))
	a.edit("election", fmt.Sprintf("telemetry {\n  endpoint = %q\n  deployment = \"prod\"\n}\nelection", c.url))
	b.edit("election", "telemetry {\n  deployment = \"prod\"\n}\nelection")
	b.env = append(b.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.url) // the other way to say where
	a.start()
	b.start()
	leader, follower := carriedOne(t, a, b)
	first, firstRoot := traceOf("prod", 0)
	spans := c.awaitTrace(t, first, leader.name+" failover", leader.name+" taking", leader.name+" promoting", leader.name+" hook promote", leader.name+" program start", leader.name+" arbiter take")
	if root, _ := find(spans, leader.name, "failover"); root.id != firstRoot || root.parent != "" {
		t.Errorf("the root of the first trace is %+v, want the id %s", root, firstRoot)
	}

	leader.command("step-down", "orders", "--to", follower.name, "--wait")
	trace, rootID := traceOf("prod", 1)
	spans = c.awaitTrace(t, trace,
		leader.name+" releasing", leader.name+" hook fence", leader.name+" hook demote", leader.name+" arbiter release",
		follower.name+" waiting for the lease", follower.name+" taking", follower.name+" arbiter take",
		follower.name+" promoting", follower.name+" hook promote", follower.name+" program start", follower.name+" failover")
	byID := map[string]span{}
	for _, s := range spans {
		byID[s.id] = s
	}
	for _, s := range spans {
		if _, ok := byID[s.parent]; !ok && s.id != rootID {
			t.Errorf("nothing of the trace is the parent of %+v", s)
		}
		if s.to < s.from {
			t.Errorf("it ends before it begins: %+v", s)
		}
	}
	root := byID[rootID]
	if root.name != "failover" || root.node != follower.name || root.parent != "" {
		t.Errorf("the root is %+v, want the failover as the next leader saw it", root)
	}
	hook, _ := find(spans, follower.name, "hook promote")
	if in := byID[hook.parent]; in.name != "promoting" || in.node != follower.name {
		t.Errorf("the promote hook is within %+v, want the phase it belongs to", in)
	}
	if releasing, _ := find(spans, leader.name, "releasing"); releasing.attributes["electd.because"] != "asked to hand over" {
		t.Errorf("the release is %+v, want its reason", releasing)
	}

	// After a crash the next leader tells alone, of the silence too.
	leader, follower = carriedOne(t, a, b)
	leader.signal(syscall.SIGKILL)
	follower.wait("leading", func(e client.Election) bool { return e.Leading && e.Epoch == 3 })
	trace, _ = traceOf("prod", 2)
	spans = c.awaitTrace(t, trace, follower.name+" failover", follower.name+" waiting for the lease")
	waiting, _ := find(spans, follower.name, "waiting for the lease")
	took := time.Duration(waiting.to - waiting.from)
	if lease := 3 * time.Second; took < lease/2 || took > 3*lease {
		t.Errorf("it waited %s for a lease of %s", took, lease)
	}
}

// A collector that is not there costs nothing but its traces.
func TestTracesWithoutACollector(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	d.edit("election", "telemetry {\n  endpoint = \"http://127.0.0.1:9\"\n}\nelection")
	d.start()
	d.wait("leading", leads)
	d.says("traces are lost: the collector does not take them")
	d.endsPromptly()
}
