package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
)

// Faults says how bad the simulated world is.
type Faults struct {
	Loss      float64       // share of messages lost, each way
	Twice     float64       // share of requests that arrive twice
	Latency   time.Duration // most of them take up to this long
	Late      float64       // share that takes up to a hundred times as long
	Partition time.Duration // mean time between two splits; zero: none
	Restart   time.Duration // mean time between two restarts of a voter
	DiskLoss  time.Duration // mean time between two losses of a disk
	Early     bool          // disks are lost during the founding, too: it may then come to nothing
}

// Cluster is a simulated set of voters and the nodes that use them. It runs the
// real Acceptor, Operation and Admission in virtual time, all from one seed.
type Cluster struct {
	Now time.Duration

	random     *rand.Rand
	faults     Faults
	electorate register.Electorate
	voters     []*simVoter
	events     events
	cut        func(from, to int) bool // by place; nil: whole
	ballots    uint64
	Seen       Counts
}

// Counts says what a simulation has been through.
type Counts struct {
	Events, Stored, Refused, Found, Unavailable, Unknown, Outbid int
	Splits, Restarts, DiskLosses, Readmissions                   int
}

type simVoter struct {
	acceptor  register.Acceptor
	down      bool
	voted     bool // has ever been admitted
	admission *register.Admission
	nonces    int
}

// NewCluster returns n voters whose disks are empty: they meet, and found.
func NewCluster(seed uint64, n int, f Faults) *Cluster {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("v%d", i)
	}
	e, err := register.NewElectorate("sim", ids)
	if err != nil {
		panic(err)
	}
	c := &Cluster{random: rand.New(rand.NewPCG(seed, 7)), faults: f, electorate: e}
	for i := range n {
		c.voters = append(c.voters, &simVoter{acceptor: register.NewAcceptor(i, e.Hash(), fmt.Sprintf("n%d.0", i))})
	}
	for i := range n {
		c.beginAdmission(i)
	}
	c.plan(f.Partition, c.split)
	c.plan(f.Restart, c.restart)
	c.plan(f.DiskLoss, c.loseDisk)
	return c
}

// Run advances virtual time by d.
func (c *Cluster) Run(d time.Duration) {
	end := c.Now + d
	for len(c.events) > 0 && c.events[0].at <= end {
		e := heap.Pop(&c.events).(event)
		c.Now = e.at
		c.Seen.Events++
		e.do()
	}
	c.Now = end
}

// After does something d later.
func (c *Cluster) After(d time.Duration, do func()) {
	heap.Push(&c.events, event{at: c.Now + d, tie: c.random.Uint64(), do: do})
}

// Founding names the cluster, once a voter is admitted; empty before.
func (c *Cluster) Founding() string {
	for _, v := range c.voters {
		if v.acceptor.Standing.Founding != "" {
			return v.acceptor.Standing.Founding
		}
	}
	return ""
}

// Operate runs one read or swap for a node that stands beside voter at, until it
// has a result or the deadline is over, and then calls done. It returns what to
// call if the node crashes: done is then never called.
func (c *Cluster) Operate(at int, w register.Want, deadline time.Duration, done func(register.Result)) (crash func()) {
	w.Voters, w.Electorate, w.Key = c.electorate.Size(), c.electorate.Hash(), key
	if w.Founding = c.Founding(); w.Founding == "" {
		done(register.Result{Outcome: register.Unavailable})
		return func() {}
	}
	r := &running{cluster: c, at: at, done: done}
	var next register.Next
	r.op, next = register.Begin(w, c.ballot(at, register.Ballot{}))
	r.follow(next)
	c.After(deadline, func() {
		if !r.over {
			r.follow(r.op.Expire())
		}
	})
	return func() { r.over = true }
}

type running struct {
	cluster *Cluster
	at      int
	op      register.Operation
	done    func(register.Result)
	over    bool
	pausing bool
}

func (r *running) follow(next register.Next) {
	c := r.cluster
	switch next {
	case register.Ask:
		r.ask()
	case register.Pause:
		if r.pausing {
			return
		}
		r.pausing = true
		c.Seen.Outbid++
		c.After(c.faults.Latency+time.Duration(c.random.Int64N(int64(8*c.faults.Latency))), func() {
			r.pausing = false
			if !r.over {
				r.follow(r.op.Again(c.ballot(r.at, r.op.Seen)))
			}
		})
	case register.Finished:
		r.over = true
		c.count(r.op.Result.Outcome)
		r.done(r.op.Result)
	}
}

func (r *running) ask() {
	request := r.op.Request
	for i := range r.cluster.voters {
		r.cluster.send(r.at, i, func(v *simVoter) func() {
			answer, _ := v.acceptor.Vote(request)
			return func() {
				if !r.over {
					r.follow(r.op.Hear(answer))
				}
			}
		})
	}
}

func (c *Cluster) ballot(at int, seen register.Ballot) register.Ballot {
	c.ballots++ // makes the writer unique, as a process's name does
	return register.Ballot{Counter: seen.Counter + 1, Writer: fmt.Sprintf("w%d.%d", at, c.ballots)}
}

func (c *Cluster) count(o register.Outcome) {
	switch o {
	case register.Stored:
		c.Seen.Stored++
	case register.Mismatch:
		c.Seen.Refused++
	case register.Found:
		c.Seen.Found++
	case register.Unavailable:
		c.Seen.Unavailable++
	case register.Unknown:
		c.Seen.Unknown++
	}
}

// send carries a request to voter i, has it answered there, and carries the
// answer back, as the faults allow.
func (c *Cluster) send(from, i int, handle func(*simVoter) (answer func())) {
	arrive := func() {
		v := c.voters[i]
		if v.down || c.separated(from, i) {
			return
		}
		if answer := handle(v); from == i || c.random.Float64() >= c.faults.Loss {
			c.After(c.latency(from, i), func() {
				if !c.separated(from, i) {
					answer()
				}
			})
		}
	}
	if from == i || c.random.Float64() >= c.faults.Loss {
		c.After(c.latency(from, i), arrive)
	}
	if c.random.Float64() < c.faults.Twice {
		c.After(c.latency(from, i), arrive)
	}
}

func (c *Cluster) separated(a, b int) bool { return c.cut != nil && a != b && c.cut(a, b) }

func (c *Cluster) latency(from, to int) time.Duration {
	if from == to {
		return time.Microsecond
	}
	d := time.Duration(c.random.Int64N(int64(c.faults.Latency)) + 1)
	if c.random.Float64() < c.faults.Late {
		d *= 100
	}
	return d
}

// event is something that happens at a time; ties are broken at random.
type event struct {
	at  time.Duration
	tie uint64
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].tie < e[j].tie
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}
