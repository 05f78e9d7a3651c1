package api

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/electd/electd/client"
)

// present collects how things stand at the moment of asking. Whether a node
// leads is said by its guard, that is by the clock, as everywhere.
type present struct {
	source  Source
	guards  *guards
	streams *streams

	build, role, leading, epoch, authority *prometheus.Desc
	healthy, paused, acknowledges          *prometheus.Desc
	connected, pluginUp, pluginRestarts    *prometheus.Desc
	usable, openGuards, openStreams        *prometheus.Desc
	expire, problems                       *prometheus.Desc
}

func describePresent(f *figures) *present {
	const gauge, counter = "gauge", "counter"
	return &present{
		build:          f.described("electd_build_info", gauge, "Always 1; the version is a label.", "version"),
		role:           f.described("electd_role", gauge, "1, with the role that this node has in the election as a label.", "election", "role"),
		leading:        f.described("electd_leading", gauge, "1 while this node may act as leader, else 0.", "election"),
		epoch:          f.described("electd_epoch", gauge, "Epoch of the newest holding known.", "election"),
		authority:      f.described("electd_authority_left_seconds", gauge, "How long this node's authority lasts if nothing comes; 0 if it holds none.", "election"),
		healthy:        f.described("electd_healthy", gauge, "1 if the health gate lets this node stand, else 0.", "election"),
		paused:         f.described("electd_paused", gauge, "1 while this node is paused, else 0.", "election"),
		acknowledges:   f.described("electd_elector_acknowledges", gauge, "On a leader: 1 if the elector acknowledges heartbeats in time, else 0.", "election", "peer"),
		connected:      f.described("electd_peer_connected", gauge, "1 while this node's connection to the peer stands, else 0.", "peer"),
		pluginUp:       f.described("electd_arbiter_plugin_up", gauge, "1 while the arbiter's process runs, else 0.", "arbiter"),
		pluginRestarts: f.described("electd_arbiter_plugin_restarts_total", counter, "How often the arbiter's process was started again.", "arbiter"),
		usable:         f.described("electd_arbiter_usable", gauge, "1 once the store has passed its probe or was taken on trust, else 0.", "arbiter"),
		expire:         f.described("electd_arbiter_credentials_expire_timestamp_seconds", gauge, "When the credentials end that the arbiter uses, in seconds since 1970; absent if they never do.", "arbiter"),
		problems:       f.described("electd_arbiter_problems", gauge, "How many things the arbiter itself says are wrong; the log and the status have the sentences.", "arbiter"),
		openGuards:     f.described("electd_guards", gauge, "Guards of programs beside the daemon that are open."),
		openStreams:    f.described("electd_event_streams", gauge, "Event streams that are open."),
	}
}

// Describe implements prometheus.Collector.
func (p *present) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		p.build, p.role, p.leading, p.epoch, p.authority, p.healthy, p.paused, p.acknowledges,
		p.connected, p.pluginUp, p.pluginRestarts, p.usable, p.expire, p.problems, p.openGuards, p.openStreams,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (p *present) Collect(out chan<- prometheus.Metric) {
	s := sample{out}
	n := p.source.Node()
	s.gauge(p.build, 1, n.Version)
	s.gauge(p.openGuards, float64(p.guards.open(time.Now())))
	s.gauge(p.openStreams, float64(p.streams.open.Load()))
	s.gauge(p.pluginUp, truth(n.Arbiter.Running), n.Arbiter.Name)
	s.gauge(p.usable, truth(n.Arbiter.Probe == "passed" || n.Arbiter.Probe == "skipped"), n.Arbiter.Name)
	s.gauge(p.problems, float64(len(n.Arbiter.Problems)), n.Arbiter.Name)
	if c := n.Arbiter.Credentials; c != nil && !c.ExpiresAt.IsZero() {
		s.gauge(p.expire, float64(c.ExpiresAt.UnixMilli())/1000, n.Arbiter.Name)
	}
	s.counter(p.pluginRestarts, float64(n.Arbiter.Restarts), n.Arbiter.Name)
	if len(n.Elections) > 0 { // connections are shared by all elections
		for _, peer := range n.Elections[0].Peers {
			s.gauge(p.connected, truth(peer.Connected), peer.Node)
		}
	}
	for i := range n.Elections {
		p.collect(s, &n.Elections[i])
	}
}

func (p *present) collect(s sample, e *client.Election) {
	s.gauge(p.role, 1, e.Election, e.Role)
	s.gauge(p.leading, truth(e.Leading), e.Election)
	s.gauge(p.epoch, float64(e.Epoch), e.Election)
	s.gauge(p.authority, float64(e.AuthorityMS)/1000, e.Election)
	s.gauge(p.healthy, truth(e.Healthy), e.Election)
	s.gauge(p.paused, truth(e.Paused), e.Election)
	if !e.Leading {
		return
	}
	for _, peer := range e.Peers {
		if peer.Elector {
			s.gauge(p.acknowledges, truth(peer.Acknowledges), e.Election, peer.Node)
		}
	}
}

// sample hands out values.
type sample struct{ out chan<- prometheus.Metric }

func (s sample) gauge(d *prometheus.Desc, value float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func (s sample) counter(d *prometheus.Desc, value float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
