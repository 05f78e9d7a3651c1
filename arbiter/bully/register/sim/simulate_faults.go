package sim

import (
	"fmt"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
)

// plan repeats a fault at random times around the mean.
func (c *Cluster) plan(mean time.Duration, fault func()) {
	if mean == 0 {
		return
	}
	c.After(time.Duration(c.random.Int64N(int64(2*mean))+1), func() {
		fault()
		c.plan(mean, fault)
	})
}

// Split cuts everything between nodes of different groups; nil heals.
func (c *Cluster) Split(group func(place int) int) {
	c.cut = nil
	if group != nil {
		c.cut = func(a, b int) bool { return group(a) != group(b) }
	}
}

// split cuts the voters in two at random, or heals, or lets one voter hear both
// sides that do not hear each other.
func (c *Cluster) split() {
	c.Seen.Splits++
	sides := make([]int, len(c.voters))
	for i := range sides {
		sides[i] = c.random.IntN(2)
	}
	bridge := c.random.IntN(2 * len(sides))
	switch c.random.IntN(3) {
	case 0:
		c.cut = nil
	default:
		c.cut = func(a, b int) bool { return sides[a] != sides[b] && a != bridge && b != bridge }
	}
}

// restart stops a voter for a while. Its disk keeps everything.
func (c *Cluster) restart() {
	i := c.random.IntN(len(c.voters))
	v := c.voters[i]
	if v.down {
		return
	}
	c.Seen.Restarts++
	v.down = true
	c.After(50*c.faults.Latency, func() {
		v.down = false
		if v.admission != nil {
			c.beginAdmission(i) // a blank voter starts over
		}
	})
}

// loseDisk empties a voter's disk, unless another voter that once voted has lost
// its own and is not back; with Early also before everybody has been admitted.
func (c *Cluster) loseDisk() {
	i := c.random.IntN(len(c.voters))
	for j, v := range c.voters {
		blank := v.acceptor.Standing.Generation == 0
		if j != i && blank && (v.voted || !c.faults.Early) || !v.voted && !c.faults.Early {
			return
		}
	}
	v := c.voters[i]
	c.Seen.DiskLosses++
	v.nonces++
	v.acceptor = register.NewAcceptor(i, c.electorate.Hash(), fmt.Sprintf("n%d.%d", i, v.nonces))
	c.beginAdmission(i)
}

func (c *Cluster) beginAdmission(i int) {
	d, next := register.NewAdmission(c.voters[i].acceptor, len(c.voters))
	c.voters[i].admission = &d
	c.followAdmission(i, &d, next)
}

func (c *Cluster) followAdmission(i int, d *register.Admission, next register.Next) {
	v := c.voters[i]
	if v.admission != d {
		return // given up: the voter restarted, or lost its disk again
	}
	switch {
	case next == register.Finished:
		if d.As.Generation > 1 {
			c.Seen.Readmissions++
		}
		v.acceptor, v.admission, v.voted = d.Result(), nil, true
	case next == register.Ask:
		c.askAdmission(i, d)
	case d.MayStandAsCandidate():
		c.followAdmission(i, d, d.Candidate(c.ballot(i, d.Seen)))
	}
}

func (c *Cluster) askAdmission(i int, d *register.Admission) {
	round, phase := d.Round, d.Phase
	admit, install := d.AdmitRequest(), d.InstallRequest()
	for to := range c.voters {
		if to == i {
			continue
		}
		c.send(i, to, func(v *simVoter) func() {
			if phase <= register.Confirming {
				s := v.acceptor.Status()
				return func() { c.heard(i, d, func() register.Next { return d.HearStatus(round, s) }) }
			}
			var a register.AdmitAnswer
			if phase == register.Admitting {
				a, _ = v.acceptor.Admit(admit)
			} else {
				a, _ = v.acceptor.Install(install)
			}
			return func() { c.heard(i, d, func() register.Next { return d.HearAdmit(round, a) }) }
		})
	}
	c.After(300*c.faults.Latency, func() {
		if c.voters[i].admission == d && d.Round == round {
			c.followAdmission(i, d, d.Again()) // lost answers: ask again
		}
	})
}

func (c *Cluster) heard(i int, d *register.Admission, hear func() register.Next) {
	if c.voters[i].admission != d || c.voters[i].down {
		return
	}
	if next := hear(); next != register.Listen {
		c.followAdmission(i, d, next)
	}
}
