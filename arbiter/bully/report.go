package bully

import (
	"context"
	"time"

	"github.com/electd/electd/core"
)

// Report says what is wrong at present, and who should lead rather than this
// node. It asks nobody.
func (a *Arbiter) Report(context.Context) (core.ArbiterReport, error) {
	return core.ArbiterReport{Problems: a.Problems(), Preferred: a.Preferred()}, nil
}

// Problems says in whole sentences what is wrong at present: voters that do not
// answer or cannot write, other clusters met, node ids used twice, clocks far off, gossip that
// cannot be decrypted, a data directory that is not admitted yet. Empty while all
// is well.
func (a *Arbiter) Problems() []string {
	all := a.problems.list(time.Now())
	if a.voter != nil {
		if why := a.voter.failure(); why != "" {
			all = append(all, "this voter "+why+"; it votes no more: free space or mend the disk, and restart this node")
		}
	}
	if _, err := a.belongsTo(); err != nil {
		all = append(all, "this node is not part of the cluster yet: "+a.problems.admission())
	}
	return all
}

// Preferred names the voters that should lead rather than this node, best first: those
// that rank above it and have been up for preempt_after. Whoever leads hands over to
// the first of them that may stand; no vote is taken away from anybody. Empty if
// there is none, and always without preempt_after.
func (a *Arbiter) Preferred() []string {
	if a.config.PreemptAfter == 0 {
		return nil
	}
	now := time.Now()
	var nodes []string
	for _, node := range a.ranks.above(a.rank(), now) {
		if a.ranks.steady(node, a.config.PreemptAfter, now) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
