package bully

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// watchOthers asks every other voter for its status, again and again: that
// keeps connections that no longer carry anything from being kept, tells who is
// alive and how it ranks where gossip does not get through, and names what is
// wrong. Nothing is decided by it.
func (a *Arbiter) watchOthers() {
	for {
		if a.proof != nil {
			a.proof.now() // what is wrong with changed files is named even if nobody calls
		}
		if a.voter != nil {
			a.spawn(a.voter.lookAtDisk)
		}
		for i := range a.electorate.Size() {
			if i != a.net.me {
				a.spawn(func() { a.lookAt(i) })
			}
		}
		select {
		case <-a.ctx.Done():
			return
		case <-time.After(jitter(a.profile.status * 2 / 3)):
		}
	}
}

func (a *Arbiter) lookAt(i int) {
	ctx, cancel := context.WithTimeout(a.ctx, a.profile.patience)
	defer cancel()
	node := a.electorate.Voter(i)
	start := time.Now()
	m, err := a.electors.status(ctx, i, a.introduce())
	switch {
	case a.ctx.Err() != nil:
		return
	case err != nil:
		a.problems.unreachable(node, err, time.Now())
		return
	}
	a.problems.reachable(node)
	if m.GetElectorate() != a.electorate.Hash() {
		a.note("other-cluster "+node, fmt.Sprintf("%s at %s is configured with other voters or another cluster name: two clusters meet there, or the lists differ; their votes are not counted", node, a.addressOf(node)))
		return
	}
	a.problems.clear("other-cluster " + node)
	a.checkDisk(node, m.GetFailing())
	a.checkClock(node, m, start)
	a.meet(node, wire.Status(m, i).Standing, int(m.GetSuitability()))
}

// meet takes in what another voter of the electorate says of itself.
func (a *Arbiter) meet(node string, s register.Standing, suitability int) {
	a.ranks.heard(node, suitability, time.Now())
	if a.voter == nil {
		a.setFounding(s.Founding) // a joiner belongs where the voters do
		return
	}
	mine := a.voter.status().Standing
	switch {
	case s.Generation == 0 || mine.Generation == 0:
	case s.Founding != mine.Founding:
		a.note("other-founding "+node, fmt.Sprintf("%s belongs to another cluster with the same name and voters: give the clusters different names (cluster)", node))
		return
	default:
		a.problems.clear("other-founding " + node)
	}
	a.voter.alive(node, register.Incarnation{Generation: s.Generation, Nonce: s.Nonce})
	a.voter.learn(s)
	if standing := a.voter.status(); standing.Standing.Retired(standing.Voter) {
		a.note("retired", fmt.Sprintf("another data directory was admitted as voter %q: this one no longer votes. Either two machines use that node id, or an old disk is back; if this is the right machine, stop it, remove %s and start it again", a.config.Node, a.config.DataDir))
	}
}

// heardFrom takes in that a node asked for our status.
func (a *Arbiter) heardFrom(node, electorate string, as register.Incarnation) {
	i, isVoter := a.electorate.Index(node)
	switch {
	case electorate != a.electorate.Hash():
		a.happened("asked-by-other "+node, fmt.Sprintf("a node %q with other voters or another cluster name calls here: two clusters share an address, or the lists differ", node))
		return
	case !isVoter:
		return
	case node == a.config.Node:
		a.happened("twin", fmt.Sprintf("another process calls itself %q, as this one does: every node needs its own id", node))
		return
	}
	a.voter.alive(node, as)
	known := a.voter.status().Standing.Known[i]
	if as.Nonce != known.Nonce && known.Nonce != "" && as.Generation <= known.Generation {
		a.happened("twin "+node, fmt.Sprintf("node id %q is used from a data directory that is not the admitted one: its disk was lost, or two machines use that id", node))
	}
}

// checkDisk names a voter that votes no more; why is empty if it does.
func (a *Arbiter) checkDisk(node, why string) {
	if why == "" {
		a.problems.clear("failing " + node)
		return
	}
	a.note("failing "+node, fmt.Sprintf("voter %s %s; it votes no more: free space or mend its disk, and restart that node", node, why))
}

// clockTolerance is how far another voter's clock may be off before it is named.
// Nothing depends on it.
const clockTolerance = 2 * time.Second

func (a *Arbiter) checkClock(node string, m *bullyv1.StatusAnswer, sent time.Time) {
	now := time.Now()
	offset := time.Unix(0, m.GetWallClockNs()).Sub(sent.Add(now.Sub(sent) / 2))
	if offset.Abs() > clockTolerance {
		a.note("clock "+node, fmt.Sprintf("the clock of %s is %v off ours; no election depends on it, logs do", node, offset.Round(time.Second)))
		return
	}
	a.problems.clear("clock " + node)
}

// note remembers a problem until it is cleared, and logs it when it is new.
func (a *Arbiter) note(name, text string) {
	a.problems.set(name, text)
	a.warn(text)
}

// happened remembers a problem for a while, and logs it when it is new.
func (a *Arbiter) happened(name, text string) {
	a.problems.happened(name, text, time.Now())
	a.warn(text)
}

func (a *Arbiter) warn(text string) {
	if a.problems.toLog(text, time.Now()) {
		a.log.Warn(text)
	}
}

// admissionText says what a blank voter waits for; refusals are the last ones of the
// voters.
func (a *Arbiter) admissionText(d *register.Admission, refusals [register.MaxVoters]register.Refusal) string {
	var missing, refused []string
	for i := range d.Voters {
		node := a.electorate.Voter(i)
		why := refusals[i]
		if why == register.Unreachable && d.Why[i] == 0 && d.Statuses[i].Electorate != "" {
			why = 0 // it has answered since
		}
		switch {
		case i == d.Me:
		case why == register.Unreachable && a.problems.refuses(node):
			refused = append(refused, fmt.Sprintf("%s refuses: %s", node, a.problems.whyUnreachable(node)))
		case why == register.Unreachable || why == 0 && d.Statuses[i].Electorate == "":
			missing = append(missing, node)
		case why != 0:
			refused = append(refused, fmt.Sprintf("%s %v", node, why))
		}
	}
	text := "its data directory was empty; a new cluster starts once all voters have met, an old one admits it by a majority of the others"
	if len(missing) > 0 {
		text += "; not reached: " + strings.Join(missing, ", ")
	}
	if len(refused) > 0 {
		text += "; " + strings.Join(refused, "; ")
	}
	return text
}
