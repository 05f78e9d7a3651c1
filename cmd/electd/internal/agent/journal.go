package agent

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// kept is how many transitions the journal remembers, of all elections together
// and of each.
const (
	kept       = 1024
	keptOfEach = 16
)

// journal remembers the transitions of all elections, numbered in order, for
// the API and whoever follows its event stream.
type journal struct {
	mu      sync.Mutex
	last    uint64
	entries []client.Transition            // the last of all, oldest first
	each    map[string][]client.Transition // the last of each election
	news    chan struct{}                  // closed at the next entry
}

func newJournal() *journal {
	return &journal{news: make(chan struct{}), each: map[string][]client.Transition{}}
}

func (j *journal) add(t client.Transition) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	t.ID = j.last
	j.entries = appendBounded(j.entries, t, kept)
	j.each[t.Election] = appendBounded(j.each[t.Election], t, keptOfEach)
	close(j.news)
	j.news = make(chan struct{})
}

// appendBounded appends to at most that many entries, dropping the oldest.
func appendBounded(to []client.Transition, t client.Transition, most int) []client.Transition {
	if len(to) == most {
		to = append(to[:0], to[1:]...)
	}
	return append(to, t)
}

// after returns the entries after an id and a channel closed at the next one.
func (j *journal) after(id uint64) ([]client.Transition, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	first, _ := slices.BinarySearchFunc(j.entries, id+1, func(t client.Transition, id uint64) int { return cmp.Compare(t.ID, id) })
	return slices.Clone(j.entries[first:]), j.news
}

// of returns the last entries of one election.
func (j *journal) of(election string, most int) []client.Transition {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.each[election]
	return append([]client.Transition{}, all[max(0, len(all)-most):]...)
}

// observer turns what a node tells into log lines and journal entries.
type observer struct {
	node.Unobserved
	election string
	log      hclog.Logger
	journal  *journal
	outage   *outage
	since    time.Time // of the present phase
	attempts attempts
	explain  func(core.Reason) string

	mu     sync.Mutex           // Failed is called from many goroutines
	failed map[string]time.Time // what failed, and when it was last said
}

// Changed logs and keeps a transition, unless it is a take that comes to nothing
// like the one before it.
func (o *observer) Changed(c node.Change) {
	for _, c := range o.attempts.next(c) {
		o.tell(c)
	}
}

func (o *observer) tell(c node.Change) {
	took := c.At.Sub(o.since)
	o.since = c.At
	o.journal.add(client.Transition{
		At: c.At, Election: o.election, From: c.From.String(), To: c.To.String(),
		Epoch: uint64(c.Epoch), Leader: c.Leader, Reason: o.explain(c.Reason), TookMS: took.Milliseconds(),
	})
	o.log.Info(c.To.String(), "from", c.From.String(), "epoch", c.Epoch, "leader", c.Leader, "because", o.explain(c.Reason))
}

// Received logs what an operator asked another node for.
func (o *observer) Received(peer string, kind core.MessageKind) {
	if kind == core.HandOver {
		o.log.Info("another node forwards a step-down; nothing comes of it if nobody else could lead", "peer", peer)
	}
}

// Told logs what a person should know.
func (o *observer) Told(reason core.Reason, epoch core.Epoch) {
	o.log.Warn(string(reason), "epoch", epoch)
}

// failedAgain is how often it is said that something still fails.
const failedAgain = time.Minute

// Failed logs what could not be done on this machine. It is tried again and
// again, and said now and then.
func (o *observer) Failed(what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.failed[what]) < failedAgain {
		o.log.Debug("still cannot "+what, "error", err)
		return
	}
	if o.failed == nil {
		o.failed = map[string]time.Time{}
	}
	o.failed[what] = time.Now()
	o.log.Warn("cannot "+what, "error", err)
}

// Broken logs a failed invariant with everything that helps to find out why.
func (o *observer) Broken(violation error, dump []byte) {
	o.log.Error("an invariant does not hold: this election acts no more on this node; restart electd and report this", "violation", violation, "dump", string(dump))
}

// Answered has a failing arbiter told, of all elections together.
func (o *observer) Answered(c node.Call) { o.outage.answered(o.election, c) }
