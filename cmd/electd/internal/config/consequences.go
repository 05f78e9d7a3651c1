package config

import "time"

// Consequences are what follows from a configuration (design 8.1), so that it
// can be judged before it is run.
type Consequences struct {
	Arbiter   string                `json:"arbiter"`
	Peers     int                   `json:"peers"` // 0: the arbiter alone decides
	Prices    string                `json:"prices,omitempty"`
	Elections []ElectionConsequence `json:"elections"`
}

// ElectionConsequence is what follows for one election.
type ElectionConsequence struct {
	Election    string   `json:"election"`
	Failovers   []Bound  `json:"failovers"`
	PromoteMS   int64    `json:"promote_ms"` // the promote hook may take this long on top; 0 without one
	Healthy     Requests `json:"healthy"`
	Degraded    Requests `json:"degraded"` // every peer silent; without peers the same as healthy
	RateError   float64  `json:"max_rate_error"`
	RateAllowed float64  `json:"rate_error_tolerated"` // what the margin would still hold
}

// Bound is the longest time from an event to the next leader, promote hook
// excluded, as long as the arbiter answers.
type Bound struct {
	After    string `json:"after"`
	WaitMS   int64  `json:"wait_ms"`  // what the protocol waits
	Requests int    `json:"requests"` // to the arbiter, one after the other
	WorstMS  int64  `json:"worst_ms"` // every request just within arbiter_timeout
	Why      string `json:"why"`
}

// Requests are requests to the arbiter by all nodes together, per hour. The prices
// are nil where none is known.
type Requests struct {
	Writes       float64  `json:"writes_per_hour"`
	Reads        float64  `json:"reads_per_hour"`
	DollarsHour  *float64 `json:"dollars_per_hour,omitempty"`
	DollarsMonth *float64 `json:"dollars_per_month,omitempty"`
}

// Consequences works out what follows from the configuration.
func (c *Config) Consequences() Consequences {
	price := c.price()
	out := Consequences{Arbiter: c.Arbiter.Name, Peers: len(c.Peers()), Prices: price.source}
	for i := range c.Elections {
		e := &c.Elections[i]
		one := ElectionConsequence{
			Election:    e.Name,
			Failovers:   e.failovers(len(c.Peers())),
			RateError:   e.MaxRateError,
			RateAllowed: e.rateTolerated(),
		}
		if hook := e.Hook("promote"); hook != nil {
			one.PromoteMS = hook.Timeout.Milliseconds()
		}
		one.Healthy, one.Degraded = e.loads(len(c.Peers()))
		price.apply(&one.Healthy)
		price.apply(&one.Degraded)
		out.Elections = append(out.Elections, one)
	}
	return out
}

// failovers bounds the time to the next leader, case by case (design 3.5, 3.8).
func (e *Election) failovers(peers int) []Bound {
	poll := e.ArbiterLease / 3
	if peers == 0 {
		return []Bound{
			e.bound("crash", e.ArbiterLease+poll, 1, "arbiter_lease, from a read that comes a third of it late"),
			e.bound("step-down", poll, 2, "a third of arbiter_lease until others read; sooner if the arbiter can watch"),
			e.bound("cold start", e.ArbiterLease, 2, "arbiter_lease from the first read, if the last leader did not release"),
		}
	}
	hold := e.holdBack(peers)
	return []Bound{
		e.bound("crash", e.HeartbeatLease+hold, 1, "heartbeat_lease"+holdText(hold)),
		e.bound("crash while no peer is heard", e.ArbiterLease+poll+hold, 1, "arbiter_lease, from a read that comes a third of it late"+holdText(hold)),
		e.bound("step-down", hold, 2, "no wait"+holdText(hold)),
		e.bound("cold start", e.ArbiterLease+hold, 2, "arbiter_lease from the first read, if the last leader did not release"+holdText(hold)),
	}
}

func (e *Election) bound(after string, wait time.Duration, requests int, why string) Bound {
	worst := wait + time.Duration(requests)*e.ArbiterTimeout
	return Bound{After: after, WaitMS: ceilMS(wait), Requests: requests, WorstMS: ceilMS(worst), Why: why}
}

// ceilMS rounds up, as bounds do.
func ceilMS(d time.Duration) int64 { return (d + time.Millisecond - 1).Milliseconds() }

// holdBack is the longest a candidate holds back for those that rank above it:
// a quarter of the interval for each, and half a step of jitter. The holder is
// no candidate, so with one peer nobody ranks above.
func (e *Election) holdBack(peers int) time.Duration {
	step := e.HeartbeatInterval / 4
	if peers < 2 {
		return 0
	}
	return time.Duration(peers-1)*step + step/2
}

func holdText(hold time.Duration) string {
	if hold == 0 {
		return ""
	}
	return " + " + round(hold).String() + " for candidates of higher rank"
}

// loads counts requests (design 3.3, 3.5): without peers the holder renews, and
// every other node reads, once a third of the lease; reads are for one other
// node. With peers there are none while all is well; while they are silent the
// leader renews at half the lease and each of them reads every third.
func (e *Election) loads(peers int) (healthy, degraded Requests) {
	perLease := time.Hour.Seconds() / e.ArbiterLease.Seconds()
	if peers == 0 {
		load := Requests{Writes: 3 * perLease, Reads: 3 * perLease}
		return load, load
	}
	return Requests{}, Requests{Writes: 2 * perLease, Reads: 3 * perLease * float64(peers)}
}

// rateTolerated is the clock-rate error that fence_margin would still hold.
func (e *Election) rateTolerated() float64 {
	rest := e.FenceMargin - (total(e.Margin()) - e.rateError())
	return rest.Seconds() / max(e.ArbiterLease, e.HeartbeatLease).Seconds()
}
