package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
)

// Part is one of the times that a fence margin has to hold.
type Part struct {
	Name string
	Time time.Duration
}

// renewalTime is what a renewal to a store is expected to take when a
// heartbeat has failed (design 3.3).
const renewalTime = 300 * time.Millisecond

// Margin returns what has to fit into the election's fence_margin (design 3.1).
func (e *Election) Margin() []Part {
	parts := []Part{
		{fmt.Sprintf("max_rate_error %g × arbiter_lease %s", e.MaxRateError, e.ArbiterLease), e.rateError()},
		{"scheduling_allowance", e.SchedulingAllowance},
	}
	if fence := e.Hook("fence"); fence != nil {
		parts = append(parts, Part{`timeout of hook "fence"`, fence.Timeout})
	}
	if e.Run != nil {
		parts = append(parts, Part{"stop_timeout", e.Run.StopTimeout}, Part{"kill_allowance", e.Run.KillAllowance})
	}
	return parts
}

// AckTimeout is how long an acknowledgement is waited for before the leader
// renews at the arbiter (design 3.3).
func (e *Election) AckTimeout() time.Duration { return e.HeartbeatInterval / 3 }

// rateError is how far the longest lease can differ between two nodes' clocks.
func (e *Election) rateError() time.Duration {
	longest := max(e.ArbiterLease, e.HeartbeatLease)
	return time.Duration(e.MaxRateError * float64(longest)).Round(time.Microsecond)
}

// marginWithout returns the sum of Margin without the part of one hook.
func (e *Election) marginWithout(hook string) time.Duration {
	sum := total(e.Margin())
	if h := e.Hook(hook); h != nil {
		sum -= h.Timeout
	}
	return sum
}

func total(parts []Part) time.Duration {
	var sum time.Duration
	for _, p := range parts {
		sum += p.Time
	}
	return sum
}

// ranges checks each timing by itself; false if one is senseless, so that
// inequalities between them would only confuse.
func (v *validator) ranges(path string, e *Election) bool {
	before := len(v.diags)
	v.between(join(path, "arbiter_lease"), e.ArbiterLease, 100*time.Millisecond, time.Hour)
	v.between(join(path, "heartbeat_interval"), e.HeartbeatInterval, 5*time.Millisecond, time.Minute)
	v.between(join(path, "heartbeat_lease"), e.HeartbeatLease, 20*time.Millisecond, 10*time.Minute)
	v.between(join(path, "fence_margin"), e.FenceMargin, time.Millisecond, 10*time.Minute)
	v.between(join(path, "arbiter_timeout"), e.ArbiterTimeout, 10*time.Millisecond, 10*time.Minute)
	v.between(join(path, "scheduling_allowance"), e.SchedulingAllowance, time.Millisecond, time.Minute)
	if !(e.MaxRateError >= 0.0001 && e.MaxRateError <= 0.1) {
		v.fail(join(path, "max_rate_error"), fmt.Sprintf("%g is out of range", e.MaxRateError), "It must be from 0.0001 to 0.1: the fraction by which two clocks may differ in rate.")
	}
	if e.Run != nil {
		v.between(join(path, "run.stop_timeout"), e.Run.StopTimeout, 0, 10*time.Minute)
		v.between(join(path, "run.kill_allowance"), e.Run.KillAllowance, time.Millisecond, time.Minute)
	}
	return len(v.diags) == before
}

// timing checks what the protocol needs of the timings together (design 3.1,
// 3.3). Those about heartbeats matter only where there are peers.
func (v *validator) timing(path string, e *Election, peers bool) {
	v.margin(path, e)
	if e.ArbiterLease <= e.HeartbeatLease {
		v.fail(join(path, "arbiter_lease"), "arbiter_lease is not longer than heartbeat_lease",
			fmt.Sprintf("arbiter_lease %s > heartbeat_lease %s does not hold. The arbiter's lease is what carries a leader whose heartbeats fail.", e.ArbiterLease, e.HeartbeatLease))
	}
	if room := e.ArbiterLease/2 - e.FenceMargin; e.ArbiterTimeout > room {
		v.fail(v.firstGiven(path, "arbiter_timeout", "arbiter_lease", "fence_margin"), "arbiter_timeout does not fit into the lease",
			fmt.Sprintf("arbiter_timeout %s ≤ arbiter_lease %s / 2 − fence_margin %s = %s does not hold. A renewal begins when half the lease is left and has to be over before the leader fences.",
				e.ArbiterTimeout, e.ArbiterLease, e.FenceMargin, room))
	}
	if e.FenceMargin >= e.HeartbeatLease {
		v.fail(join(path, "fence_margin"), "fence_margin is not shorter than heartbeat_lease",
			fmt.Sprintf("fence_margin %s < heartbeat_lease %s does not hold. %s", e.FenceMargin, e.HeartbeatLease, why[peers]))
	} else if peers {
		v.heartbeats(path, e)
	}
}

// why tells what a heartbeat lease within the margin leads to, with and without
// peers.
var why = map[bool]string{
	true:  "The leader would fence between any two heartbeats.",
	false: "Programs beside electd could never act on its word.",
}

// firstGiven is the first of some attributes that stands in the configuration; the
// first of all if none does.
func (v *validator) firstGiven(path string, names ...string) string {
	for _, name := range names {
		if v.given(join(path, name)) {
			return join(path, name)
		}
	}
	return join(path, names[0])
}

func (v *validator) margin(path string, e *Election) {
	if e.Hook("fence") != nil && !v.given(join(labelPath(join(path, "hook"), "fence"), "timeout")) {
		return // reported already, with the room there is
	}
	parts := e.Margin()
	if sum := total(parts); sum > e.FenceMargin {
		v.fail(join(path, "fence_margin"), "fence_margin is too short",
			fmt.Sprintf("Before its authority ends, a leader must be sure to have stopped. fence_margin has to hold\n\n%s\nRaise fence_margin to %s or more, or shorten what it holds.", sumTable(parts, sum, e.FenceMargin), sum))
	}
}

func (v *validator) heartbeats(path string, e *Election) {
	left := e.HeartbeatLease - e.FenceMargin
	if noticed := e.HeartbeatInterval + e.AckTimeout(); noticed >= left {
		v.fail(join(path, "heartbeat_interval"), "heartbeat_interval is too long",
			fmt.Sprintf("heartbeat_interval %s + a third of it %s = %s < heartbeat_lease %s − fence_margin %s = %s does not hold. The leader would fence before it notices that an acknowledgement is late.",
				e.HeartbeatInterval, round(e.AckTimeout()), round(noticed), e.HeartbeatLease, e.FenceMargin, left))
	} else if renewed := noticed + renewalTime; renewed > left {
		v.warn(join(path, "heartbeat_lease"), "A dead link will cost a fence",
			fmt.Sprintf("heartbeat_interval %s + a third of it %s + %s for a renewal = %s ≤ heartbeat_lease %s − fence_margin %s = %s does not hold. When a peer falls silent, the renewal at the arbiter comes too late: the leader fences, and leadership may change.",
				e.HeartbeatInterval, round(e.AckTimeout()), renewalTime, round(renewed), e.HeartbeatLease, e.FenceMargin, left))
	}
}

// watchdog checks that the device can be petted in time while all is well, and
// yet resets the machine before the authority ends: it is petted only while more
// authority than its timeout is left.
func (v *validator) watchdog(c *Config) {
	timeout := c.Watchdog.Timeout
	if timeout < time.Second || timeout%time.Second != 0 {
		v.fail("watchdog.timeout", "Watchdog timeout not in whole seconds", "Devices count in seconds; give at least 1s.")
		return
	}
	for i := range c.Elections {
		e := &c.Elections[i]
		lease, interval, names := e.HeartbeatLease, e.HeartbeatInterval, [2]string{"heartbeat_interval", "heartbeat_lease"}
		if len(c.Peers()) == 0 {
			lease, interval, names = e.ArbiterLease, e.ArbiterLease/3, [2]string{"a third of arbiter_lease", "arbiter_lease"}
		}
		if hardware.Fits(timeout, lease, interval) != nil {
			v.fail("watchdog.timeout", fmt.Sprintf("Watchdog timeout is too long for election %q", e.Name),
				fmt.Sprintf("timeout %s + %s %s = %s ≤ %s %s does not hold. The device would reset the machine while all is well, or only after the authority has ended.",
					timeout, names[0], round(interval), round(timeout+interval), names[1], lease))
		}
	}
}

// sumTable shows a sum of times against a limit it exceeds.
func sumTable(parts []Part, sum, limit time.Duration) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "  %-45s %10s\n", p.Name, p.Time)
	}
	fmt.Fprintf(&b, "  %-45s %10s > %s\n", "together", sum, limit)
	return b.String()
}

// round shortens a computed time for people.
func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
