package api

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// meter counts what one election does. Its methods are called from the
// election's loop and from calls to the arbiter.
type meter struct {
	node.Unobserved
	metrics  *metrics
	election string
	lag      prometheus.Observer

	mu       sync.Mutex
	peers    map[string]*peerMeter
	read     sign      // of the record, the last time that it succeeded
	followed bool      // another node has led since this one last did
	released time.Time // when the lease was last known vacant
}

// peerMeter holds one peer's counters.
type peerMeter struct {
	sent, acknowledged, missed, received prometheus.Counter
	busy, stale                          prometheus.Counter
	roundTrip                            prometheus.Observer
	offset, uncertainty                  prometheus.Gauge

	waits bool // for the acknowledgement of the newest heartbeat
	heard sign // its last heartbeat
}

func newMeter(m *metrics, election string) *meter {
	return &meter{metrics: m, election: election, lag: m.lag.WithLabelValues(), peers: map[string]*peerMeter{}}
}

// peer returns the counters of a peer. The caller holds mu.
func (t *meter) peer(node string) *peerMeter {
	if p := t.peers[node]; p != nil {
		return p
	}
	m := t.metrics
	p := &peerMeter{
		sent: m.sent.WithLabelValues(node), acknowledged: m.acknowledged.WithLabelValues(node),
		missed: m.missed.WithLabelValues(node), received: m.received.WithLabelValues(node),
		busy: m.refused.WithLabelValues(node, "busy"), stale: m.refused.WithLabelValues(node, "stale"),
		roundTrip: m.roundTrip.WithLabelValues(node),
		offset:    m.offset.WithLabelValues(node), uncertainty: m.uncertainty.WithLabelValues(node),
	}
	t.peers[node] = p
	return p
}

// Sent counts heartbeats.
func (t *meter) Sent(peer string, kind core.MessageKind) {
	if kind != core.Heartbeat {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peer(peer)
	if p.waits {
		p.missed.Inc()
	}
	p.waits = true
	p.sent.Inc()
}

// Received counts heartbeats and the answers to them.
func (t *meter) Received(peer string, kind core.MessageKind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peer(peer)
	switch kind {
	case core.Heartbeat:
		p.received.Inc()
		p.heard = signNow()
	case core.Ack:
		p.acknowledged.Inc()
		p.waits = false
	case core.Busy:
		p.busy.Inc()
	case core.Stale:
		p.stale.Inc()
	}
}

// RoundTrip counts how long an answer took.
func (t *meter) RoundTrip(peer string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peer(peer).roundTrip.Observe(took.Seconds())
}

// Offset notes how far a peer's clock is off.
func (t *meter) Offset(peer string, offset, uncertainty time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peer(peer)
	p.offset.Set(offset.Seconds())
	p.uncertainty.Set(uncertainty.Seconds())
}

// Late counts how late the loop woke.
func (t *meter) Late(by time.Duration) { t.lag.Observe(by.Seconds()) }

// Told counts what a person should look at.
func (t *meter) Told(reason core.Reason, _ core.Epoch) {
	t.metrics.alarms.WithLabelValues(t.election, slug(reason)).Inc()
}

// Answered counts a request to the arbiter.
func (t *meter) Answered(c node.Call) {
	operation := operationOf(c.Intent)
	t.metrics.requests.WithLabelValues(operation, c.Outcome.String()).Inc()
	t.metrics.latency.WithLabelValues(operation).Observe(c.Took.Seconds())
	if c.Intent == 0 && c.Outcome == core.Applied {
		t.mu.Lock()
		t.read = signNow().back(c.Took) // what it shows may be as old as the question
		t.mu.Unlock()
	}
}

func operationOf(i core.Intent) string {
	switch i {
	case core.Take:
		return "take"
	case core.Renew:
		return "renew"
	case core.Release:
		return "release"
	}
	return "read"
}

// Changed counts a transition, and what it means.
func (t *meter) Changed(c node.Change) {
	m, reason := t.metrics, slug(c.Reason)
	m.transitions.WithLabelValues(t.election, c.To.String(), reason).Inc()
	if c.From == core.Leading {
		m.fences.WithLabelValues(t.election, reason).Inc()
	}
	if c.From == core.Taking {
		m.takes.WithLabelValues(t.election, takeOutcome(c.To)).Inc()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case c.To == core.Following:
		t.followed = true
	case c.To == core.NoLease && c.Reason == core.BecauseVacant:
		t.released = time.Now()
	case c.To == core.Leading:
		t.tookOver(time.Now())
	}
	if !c.To.Holds() {
		for _, p := range t.peers {
			p.waits = false
		}
	}
}

func takeOutcome(to core.Phase) string {
	if to.Holds() {
		return "won"
	}
	return "lost"
}

// tookOver measures a failover: from the last that was seen of another leader.
// The caller holds mu.
func (t *meter) tookOver(now time.Time) {
	last := t.released
	for _, p := range t.peers {
		if p.heard.at.After(last) {
			last = p.heard.at
		}
	}
	if t.followed && !last.IsZero() {
		t.metrics.failover.WithLabelValues().Observe(now.Sub(last).Seconds())
	}
	t.followed = false
}

// age returns how long ago the holder was heard, or the record read.
func (t *meter) age(holder string) (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.read
	if p := t.peers[holder]; p != nil && p.heard.at.After(last.at) {
		last = p.heard
	}
	if last.at.IsZero() {
		return 0, false
	}
	return last.since(), true
}

// sign is when something was seen, by the monotonic and the wall clock: the one
// stands still while the machine is suspended, the other may be set back.
type sign struct {
	at   time.Time
	wall int64
}

func signNow() sign {
	at := time.Now()
	return sign{at, at.UnixNano()}
}

func (s sign) back(d time.Duration) sign { return sign{s.at.Add(-d), s.wall - int64(d)} }

func (s sign) since() time.Duration {
	now := time.Now()
	return max(now.Sub(s.at), time.Duration(now.UnixNano()-s.wall))
}
