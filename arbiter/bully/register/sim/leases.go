package sim

import (
	"fmt"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
)

// The smallest election that can be built on the register, for the contrast: a
// node leads for a lease from when its last stored write began, less a margin,
// and takes once it has seen the same version for a whole lease.
const (
	leaseTime = 3 * time.Second
	margin    = 300 * time.Millisecond
)

type lessee struct {
	cluster *Cluster
	place   int
	busy    bool
	version string        // seen last
	seenAt  time.Duration // when its answer came
	mine    string        // version that this node stored, while it leads
	until   time.Duration // leads until then
	writes  int
	takes   int
}

func (l *lessee) leads() bool { return l.mine != "" && l.cluster.Now < l.until-margin }

// turn begins the next operation, if none is under way.
func (l *lessee) turn() {
	if l.busy {
		return
	}
	l.busy = true
	began := l.cluster.Now
	w := register.Want{Expected: l.version}
	take := l.version == "" || l.cluster.Now >= l.seenAt+leaseTime
	if l.mine != "" || take {
		l.writes++
		w.Value = register.Value{Version: fmt.Sprintf("%d.%d", l.place, l.writes), Record: "x"}
		if l.mine != "" {
			w.Expected = l.mine
		}
	}
	l.cluster.Operate(l.place, w, leaseTime/3, func(r register.Result) {
		l.busy = false
		switch r.Outcome {
		case register.Stored:
			if l.mine == "" {
				l.takes++
			}
			l.mine, l.version, l.seenAt, l.until = r.Value.Version, r.Value.Version, l.cluster.Now, began+leaseTime
		case register.Found, register.Mismatch:
			if r.Value.Version != l.mine {
				l.mine = ""
			}
			if r.Value.Version != l.version {
				l.version, l.seenAt = r.Value.Version, l.cluster.Now
			}
		case register.Unknown: // somebody's version stands now, or stood: look again
			l.mine, l.seenAt = "", l.cluster.Now
		}
	})
}

// leaseLeaders plays the schedule of splits with an election on the register and
// returns the largest number of leaders at one time, and how often one was taken.
func leaseLeaders(seed uint64, size int, splits []func(int) int, each time.Duration) (most, takes int) {
	c := NewCluster(seed, size, Faults{Loss: 0.02, Twice: 0.02, Latency: 5 * time.Millisecond, Late: 0.01})
	c.Run(time.Second) // all meet first
	nodes := make([]*lessee, size)
	for i := range nodes {
		nodes[i] = &lessee{cluster: c, place: i}
	}
	for _, group := range splits {
		c.Split(group)
		for end := c.Now + each; c.Now < end; c.Run(50 * time.Millisecond) {
			leaders := 0
			for _, l := range nodes {
				if l.leads() {
					leaders++
				}
				if c.random.IntN(8) == 0 {
					l.turn()
				}
			}
			most = max(most, leaders)
		}
	}
	for _, l := range nodes {
		takes += l.takes
	}
	return most, takes
}
