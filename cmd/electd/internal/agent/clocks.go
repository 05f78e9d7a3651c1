package agent

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport"
)

// A peer's wall clock is wrong if it is further off than clockTolerance, and has
// been for clockPatience: what arrives late looks like a clock that is behind.
const (
	clockTolerance = time.Second
	clockPatience  = 10 * time.Second
)

// clocks compares the peers' wall clocks with this node's, for all elections
// together. Nothing in the protocol depends on them; people who read logs do.
type clocks struct {
	log hclog.Logger

	mu    sync.Mutex
	peers map[string]*peerClock
}

type peerClock struct {
	offset  time.Duration // as last measured
	since   time.Time     // when it was first found off, without a break; zero: it is not
	reached bool          // the patience is over, and it was said
}

func newClocks(log hclog.Logger) *clocks {
	return &clocks{log: log.Named("clocks"), peers: map[string]*peerClock{}}
}

// compare takes note of one measurement.
func (c *clocks) compare(peer string, offset, uncertainty time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[peer]
	if p == nil {
		p = &peerClock{}
		c.peers[peer] = p
	}
	p.offset = offset
	switch {
	case offset.Abs()-uncertainty <= clockTolerance:
		if p.reached {
			c.log.Info("a peer's clock agrees again", "peer", peer)
		}
		p.since, p.reached = time.Time{}, false
	case p.since.IsZero():
		p.since = time.Now()
	case !p.reached && time.Since(p.since) >= clockPatience:
		p.reached = true
		c.log.Warn("a peer's clock differs from this node's; leases do not depend on it, but look at both", "peer", peer, "ahead", offset.Round(time.Millisecond))
	}
}

// wrong says how far a peer's clock is off, if it is wrong.
func (c *clocks) wrong(peer string) (ahead time.Duration, wrong bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[peer]
	if p == nil || !p.reached {
		return 0, false
	}
	return p.offset, true
}

// clockCheck is what one election does about wrong clocks.
type clockCheck struct {
	node.Unobserved
	clocks *clocks
	mode   atomic.Value // config.Election.ClockCheck
}

func newClockCheck(c *clocks, mode string) *clockCheck {
	check := &clockCheck{clocks: c}
	check.mode.Store(mode)
	return check
}

// Offset compares, unless nobody wants to know.
func (c *clockCheck) Offset(peer string, offset, uncertainty time.Duration) {
	if c.mode.Load() != "off" {
		c.clocks.compare(peer, offset, uncertainty)
	}
}

// refuses reports whether this heartbeat is to be refused for its sender's
// clock. It looks at the clock again: refused heartbeats are measured nowhere else.
func (c *clockCheck) refuses(m *core.Message) bool {
	if m.Kind != core.Heartbeat || m.WallClock == 0 || c.mode.Load() != "fence" {
		return false
	}
	if _, wrong := c.clocks.wrong(m.Node); !wrong {
		return false
	}
	c.clocks.compare(m.Node, time.Until(time.Unix(0, m.WallClock)), 0)
	_, wrong := c.clocks.wrong(m.Node)
	return wrong
}

// explain says what a refusal means, for the status.
func (c *clockCheck) explain(peer string) string {
	ahead, wrong := c.clocks.wrong(peer)
	if !wrong || c.mode.Load() != "fence" {
		return ""
	}
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	return fmt.Sprintf("; heartbeats of %s are refused: its clock is %s %s this node's", peer, ahead.Abs().Round(time.Millisecond), side)
}

// checked is the transport as an election uses it that refuses heartbeats by the
// sender's clock.
type checked struct {
	transport.Transport
	check *clockCheck
}

// Join hands on what is not refused.
func (t checked) Join(election string, h transport.Handler) (stop func()) {
	return t.Transport.Join(election, checkedHandler{h, t.check})
}

type checkedHandler struct {
	transport.Handler
	check *clockCheck
}

// Deliver drops a heartbeat that is refused; to its sender, this node is silent.
func (h checkedHandler) Deliver(m core.Message) {
	if !h.check.refuses(&m) {
		h.Handler.Deliver(m)
	}
}
