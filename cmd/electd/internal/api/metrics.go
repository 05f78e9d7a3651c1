package api

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core/node"
)

// metrics are the figures that Prometheus collects. All durations are seconds.
// What a link or the store does is counted for all elections together: there may
// be a thousand of them, and each has its own figures in the status.
type metrics struct {
	figures

	sent, acknowledged, missed, refused, received *prometheus.CounterVec
	roundTrip                                     *prometheus.HistogramVec
	offset, uncertainty                           *prometheus.GaugeVec
	requests                                      *prometheus.CounterVec
	latency                                       *prometheus.HistogramVec
	takes, transitions, fences, alarms            *prometheus.CounterVec
	failover, hooks, lag                          *prometheus.HistogramVec
	api                                           *prometheus.CounterVec
	present                                       *present

	mu     sync.Mutex
	meters map[string]*meter // by election
}

// Buckets in seconds: of what is over within a network's round trip, of what may
// wait for a store, and of what waits for a lease.
var (
	quick  = []float64{.0002, .0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1}
	middle = []float64{.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
	slow   = []float64{.02, .05, .1, .2, .5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60}
)

func newMetrics() *metrics {
	m := &metrics{figures: figures{registry: prometheus.NewRegistry()}, meters: map[string]*meter{}}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.present = describePresent(&m.figures)

	m.sent = m.counter("electd_heartbeats_sent_total", "Heartbeats sent to a peer, as leader, of all elections.", "peer")
	m.acknowledged = m.counter("electd_heartbeats_acknowledged_total", "Heartbeats that a peer acknowledged.", "peer")
	m.missed = m.counter("electd_heartbeats_missed_total", "Heartbeats that a peer had not acknowledged when the next one was sent.", "peer")
	m.refused = m.counter("electd_heartbeats_refused_total", "Heartbeats that a peer refused: busy (a write of its own is unresolved) or stale (it knows a higher epoch).", "peer", "answer")
	m.received = m.counter("electd_heartbeats_received_total", "Heartbeats received from a peer, as follower, of all elections.", "peer")
	m.roundTrip = m.histogram("electd_heartbeat_round_trip_seconds", "From sending a heartbeat to its answer.", quick, "peer")
	m.offset = m.gauge("electd_clock_offset_seconds", "A peer's wall clock less this node's. Nothing decides on it.", "peer")
	m.uncertainty = m.gauge("electd_clock_offset_uncertainty_seconds", "How far electd_clock_offset_seconds may be off.", "peer")

	m.requests = m.counter("electd_arbiter_requests_total", "Requests to the arbiter, of all elections, by operation (read, take, renew, release) and outcome.", "operation", "outcome")
	m.latency = m.histogram("electd_arbiter_request_seconds", "How long requests to the arbiter took.", middle, "operation")

	m.takes = m.counter("electd_takes_total", "Attempts of this node to become leader that were decided: won or lost.", "election", "outcome")
	m.transitions = m.counter("electd_transitions_total", "Changes of phase, by the phase entered and the reason.", "election", "to", "reason")
	m.fences = m.counter("electd_fences_total", "How often this node ceased to lead, by the reason.", "election", "reason")
	m.alarms = m.counter("electd_alarms_total", "Things that a person should look at.", "election", "reason")
	m.failover = m.histogram("electd_failover_seconds", "From the last sign of another leader, or its release, until this node's guard opened.", slow)
	m.failover.WithLabelValues() // a counter that was not there before has no increase
	m.hooks = m.histogram("electd_hook_seconds", "How long hooks ran, by what became of them.", slow, "election", "hook", "outcome")
	m.lag = m.histogram("electd_loop_lag_seconds", "By how much an election's loop woke later than it wanted to.", quick)
	m.api = m.counter("electd_api_requests_total", "Requests answered by the API.", "route", "code")
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: answerWithin})
}

// counted counts a route's answers.
func (m *metrics) counted(r route, serve http.HandlerFunc) http.HandlerFunc {
	counter := m.api.MustCurryWith(prometheus.Labels{"route": r.method + " " + r.path})
	return promhttp.InstrumentHandlerCounter(counter, serve)
}

// follow collects how things stand from there, whenever somebody asks.
func (m *metrics) follow(source Source, guards *guards, streams *streams) {
	m.present.source, m.present.guards, m.present.streams = source, guards, streams
	m.registry.MustRegister(m.present)
}

// Observe returns the observer that counts one election's events for metrics.
func (s *Server) Observe(election string) node.Observer { return s.metrics.meter(election) }

func (m *metrics) meter(election string) *meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.meters[election]
	if t == nil {
		t = newMeter(m, election)
		m.meters[election] = t
	}
	return t
}

// tellAge completes an answer: a leader knows first-hand, everybody else by the
// last heartbeat or read.
func (m *metrics) tellAge(e *client.Election) {
	if e.Leading {
		e.AgeMS = 0
		return
	}
	e.AgeMS = -1
	if age, ok := m.meter(e.Election).age(e.Holder); ok {
		e.AgeMS = age.Milliseconds()
	}
}

// HookRan counts one run of a hook.
func (s *Server) HookRan(election, hook, outcome string, took time.Duration) {
	s.metrics.hooks.WithLabelValues(election, hook, strings.ReplaceAll(outcome, " ", "-")).Observe(took.Seconds())
}
